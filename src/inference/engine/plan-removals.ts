// Decides which files of the prefix cache are removed, as a function of plain data: the least valuable first, until the
// rest fits. The value of a file is the work that it saves per byte, and decreases with the time since its last use.

export interface PrefixFile {
  readonly bytes: number;
  /** The work that it saves, in a unit that is the same for all files. */
  readonly work: number;
  /** The time in milliseconds since the epoch. */
  readonly usedAt: number;
}

// Files that were used within a minute differ by their work alone.
const minAgeMs = 60_000;

export function planRemovals<File extends PrefixFile>(
  files: readonly File[],
  { maxBytes, now }: { readonly maxBytes: number; readonly now: number },
): File[] {
  const rate = ({ bytes, work, usedAt }: File): number => work / Math.max(1, bytes) / Math.max(minAgeMs, now - usedAt);
  const ranked = files.map((file) => ({ file, value: rate(file) })).sort((a, b) => a.value - b.value);
  let excess = files.reduce((sum, { bytes }) => sum + bytes, -maxBytes);
  const removed: File[] = [];
  for (const { file } of ranked) {
    if (excess <= 0) break;
    removed.push(file);
    excess -= file.bytes;
  }
  return removed;
}
