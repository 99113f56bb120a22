// Splits network chunks into lines. A line or a character may span several chunks. A line that does not end is refused
// before it fills the memory.

const newline = 0x0a;

interface LineLimit {
  readonly maxBytes: number;
  /** The error for a longer line. */
  readonly tooLong: (maxBytes: number) => Error;
}

export function createLineSplitter({ maxBytes, tooLong }: LineLimit) {
  let pending: Uint8Array[] = [];
  let bytes = 0;

  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    if (part.length > 0) pending.push(part);
  };
  const take = (): string => {
    // Decodes complete lines, so that no character is cut.
    const [only, ...others] = pending;
    const text = only !== undefined && others.length === 0 ? decode(only) : Buffer.concat(pending).toString('utf8');
    pending = [];
    bytes = 0;
    return text;
  };

  return {
    /** The lines that the chunk completes, without their newline. */
    push(chunk: Uint8Array): string[] {
      let lines: string[] = [];
      let start = 0;
      const last = chunk.lastIndexOf(newline);
      if (last !== -1 && bytes + last <= maxBytes) {
        // None of the lines is too long. To decode them together takes less time than one by one.
        keep(chunk.subarray(0, last));
        lines = take().split('\n');
        start = last + 1;
      }
      for (let end = chunk.indexOf(newline, start); end !== -1; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
    /** What follows the last newline is a line, too. */
    end: (): string[] => (bytes > 0 ? [take()] : []),
  };
}

export type LineSplitter = ReturnType<typeof createLineSplitter>;

function decode({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}
