// Which texts go through the model together: a function of plain data. There is no padding, so a pass is as good as it is
// full: whoever is first goes in any case, then the longest that still fit.

export interface PassLimits {
  readonly tokens: number;
  readonly sequences: number;
}

/** Indexes of the chosen ones, given the lengths of all. The first may be longer than the limit; then it goes alone. */
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
