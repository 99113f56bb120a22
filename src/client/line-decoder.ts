// Splits network chunks into lines. A line or a character may span several chunks. A line that does not end is refused
// before it fills the memory.

import { ClientError } from './client-error.ts';

// The longest valid line is the last one of a response: it lists the tokens of an entire context.
const maxLineBytes = 16 * 2 ** 20;

const newline = 0x0a;

export interface LineDecoder {
  /** Returns the lines that this chunk completes, without empty ones. */
  push(chunk: Uint8Array): string[];
  /** Returns what follows the last newline. */
  end(): string[];
}

export function createLineDecoder(maxBytes = maxLineBytes): LineDecoder {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  const keep = (bytes: Uint8Array): void => {
    pendingBytes += bytes.length;
    if (pendingBytes > maxBytes)
      throw new ClientError('broken', `the server sent a line of more than ${maxBytes} bytes`);
    if (bytes.length > 0) pending.push(bytes);
  };
  const take = (): string => {
    // Decodes the complete line, so that no character is cut.
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
      return lines.filter(isNotBlank);
    },
    end: () => [take()].filter(isNotBlank),
  };
}

function isNotBlank(line: string): boolean {
  return line.trim() !== '';
}
