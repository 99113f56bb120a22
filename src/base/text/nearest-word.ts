// Suggests the intended word for a mistyped one.

const maxDifferences = 2;

/** The only word that starts with `word`, or else the most similar one within `maxDifferences`. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const completions = words.filter((candidate) => candidate.startsWith(word));
  if (completions.length === 1 && word.length > 0) return completions[0];
  const ranked = words
    .map((candidate) => ({ candidate, distance: distanceBetween(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  const allowed = Math.min(maxDifferences, Math.floor(word.length / 2));
  return best !== undefined && best.distance <= allowed ? best.candidate : undefined;
}

/** Damerau-Levenshtein distance (optimal string alignment). */
function distanceBetween(a: string, b: string): number {
  // The distance is at least the difference in length.
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
