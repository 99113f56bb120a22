// Chooses the texts of the next pass, as a function of plain data. Passes have no padding, so a full one is the most
// efficient: the first text always goes, then the longest that still fit.

export interface PassLimits {
  readonly tokens: number;
  readonly sequences: number;
}

/** Returns the indexes of the chosen texts. A first text that is longer than the limit goes alone. */
export function planEmbedPass(lengths: readonly number[], { tokens, sequences }: PassLimits): number[] {
  const [first, ...others] = lengths.map((length, index) => ({ length, index }));
  if (first === undefined) return [];
  const chosen = [first.index];
  let room = tokens - first.length;
  for (const { length, index } of others.sort((a, b) => b.length - a.length || a.index - b.index)) {
    if (chosen.length === sequences) break;
    if (length > room) continue;
    chosen.push(index);
    room -= length;
  }
  return chosen;
}
