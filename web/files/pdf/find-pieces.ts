// Finds a passage among the pieces of text that pdf.js finds on a page. The passage has other white space: that of its lines.

interface Piece {
  readonly str: string;
}

const spaces = /\s+/g;

/** The pieces that have a part of the passage; none if the page does not have it. */
export function findPieces<Found extends Piece>(pieces: readonly Found[], passage: string): Found[] {
  const wanted = passage.replace(spaces, '');
  const texts = pieces.map(({ str }) => str.replace(spaces, ''));
  const from = texts.join('').indexOf(wanted);
  if (wanted === '' || from === -1) return [];
  let end = 0;
  return pieces.filter((_, index) => {
    const start = end;
    end += (texts[index] as string).length;
    return end > start && start < from + wanted.length && end > from;
  });
}
