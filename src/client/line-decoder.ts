// Network chunks → whole lines. A character, or a line, may come in several chunks; a line that never ends is refused
// before it fills the memory.

import { ClientError } from './client-error.ts';

/** Bytes. The longest honest line is the last of an answer, with the numbers of a whole context. */
export const maxLine = 16 * 2 ** 20;

const newline = 0x0a;

export interface LineDecoder {
  /** The lines that are complete with this chunk; empty ones are left out. */
  push(chunk: Uint8Array): string[];
  /** What came behind the last newline. */
  end(): string[];
}

export function createLineDecoder(limit = maxLine): LineDecoder {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  const keep = (bytes: Uint8Array): void => {
    pendingBytes += bytes.length;
    if (pendingBytes > limit) throw new ClientError('broken', `the server sent a line of more than ${limit} bytes`);
    if (bytes.length > 0) pending.push(bytes);
  };
  const take = (): string => {
    // Decoded as a whole, so that no character is cut in two.
    const line = Buffer.concat(pending).toString('utf8');
    pending = [];
    pendingBytes = 0;
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
      return lines.filter(isSomething);
    },
    end: () => [take()].filter(isSomething),
  };
}

function isSomething(line: string): boolean {
  return line.trim() !== '';
}
