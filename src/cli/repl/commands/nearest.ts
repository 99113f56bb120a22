// The word that somebody probably meant.

const maxDifferences = 2;

/** The one of `words` that differs least from `word`, if it is not far off; or that it is the beginning of. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const begun = words.filter((candidate) => candidate.startsWith(word));
  if (begun.length === 1 && word.length > 0) return begun[0];
  const ranked = words
    .map((candidate) => ({ candidate, distance: distanceBetween(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  const allowed = Math.min(maxDifferences, Math.floor(word.length / 2));
  return best !== undefined && best.distance <= allowed ? best.candidate : undefined;
}

/** How many letters have to be added, left out, changed, or swapped with a neighbour. */
function distanceBetween(a: string, b: string): number {
  // Nobody mistypes a word into one that is much longer.
  if (Math.abs(a.length - b.length) > maxDifferences) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + same,
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
