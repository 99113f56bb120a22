// The text of a page of a PDF, made of the pieces that pdf.js finds on it. The server keeps it; the page of the browser finds a
// passage of it again where it is drawn.

export interface PagePiece {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  /** The last value is the distance from the bottom of the page. */
  readonly transform: readonly number[];
}

/** Where the text of a piece is in that of the page. */
interface PiecePlace<Piece> {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

interface PageText<Piece> {
  readonly text: string;
  readonly places: readonly PiecePlace<Piece>[];
}

// Lines of a paragraph are closer together than this many times their height.
const maxLineDistance = 1.8;

/** An empty line is written between paragraphs. */
export function toPageText<Piece extends PagePiece>(pieces: readonly Piece[]): PageText<Piece> {
  const parts: string[] = [];
  const places: PiecePlace<Piece>[] = [];
  let length = 0;
  let last: Piece | undefined;
  let isNewLine = false;
  const add = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  for (const piece of pieces) {
    if (piece.str !== '') {
      if (isNewLine && last !== undefined) add(areClose(last, piece) ? '\n' : '\n\n');
      places.push({ piece, start: length, end: length + piece.str.length });
      add(piece.str);
      isNewLine = false;
      // A space has no height.
      if (piece.str.trim() !== '') last = piece;
    }
    isNewLine ||= piece.hasEOL;
  }
  const all = parts.join('');
  const cut = all.length - all.trimStart().length;
  return {
    text: all.trim(),
    places: places.map(({ piece, start, end }) => ({ piece, start: start - cut, end: end - cut })),
  };
}

function areClose(above: PagePiece, below: PagePiece): boolean {
  const distance = Math.abs((above.transform[5] ?? 0) - (below.transform[5] ?? 0));
  return distance <= maxLineDistance * Math.max(above.height, below.height);
}
