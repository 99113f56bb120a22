// Splits network chunks into lines. A line or a character may span several chunks. A line that does not end is refused
// before it fills the memory.

const newline = 0x0a;

export interface LineSplitter {
  /** The lines that the chunk completes, without their newline. */
  push(chunk: Uint8Array): string[];
  /** What follows the last newline is a line, too. */
  end(): string[];
}

export interface LineLimit {
  readonly maxBytes: number;
  /** The error for a longer line. */
  readonly tooLong: (maxBytes: number) => Error;
}

export function createLineSplitter({ maxBytes, tooLong }: LineLimit): LineSplitter {
  let pending: Uint8Array[] = [];
  let bytes = 0;

  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    if (part.length > 0) pending.push(part);
  };
  const take = (): string => {
    // Decodes the complete line, so that no character is cut.
    const line = Buffer.concat(pending).toString('utf8');
    pending = [];
    bytes = 0;
    return line;
  };

  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
    end: () => (bytes > 0 ? [take()] : []),
  };
}
