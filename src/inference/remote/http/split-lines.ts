// Splits the body of a response into lines, and server-sent events into their data. A remote may send anything: a line
// that does not end is refused before it fills the memory.

import { HearthError } from '../../../base/errors.ts';

const maxLineBytes = 8 * 2 ** 20;
const newline = 0x0a;

export interface LineSplitter {
  /** The lines that the chunk completes, without their line ends. */
  push(chunk: Uint8Array): string[];
  /** What follows the last newline is a line, too. */
  end(): string[];
}

export function createLineSplitter(remote: string, maxBytes = maxLineBytes): LineSplitter {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new HearthError('remote_failed', `the remote "${remote}" sent a line of more than ${maxBytes} bytes`);
    pending.push(part);
  };
  const take = (): string => {
    // Decodes the complete line, so that no character is cut.
    const line = Buffer.concat(pending).toString('utf8');
    pending = [];
    bytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
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
      if (start < chunk.length) keep(chunk.subarray(start));
      return lines;
    },
    end: () => (bytes > 0 ? [take()] : []),
  };
}

export interface EventReader {
  /** The data of the event that the line ends; undefined if it ends none. Other fields and comments are left out. */
  push(line: string): string | undefined;
}

export function createEventReader(remote: string): EventReader {
  let data: string[] = [];
  let length = 0;
  return {
    push(line) {
      if (line === '') {
        const event = data.length > 0 ? data.join('\n') : undefined;
        data = [];
        length = 0;
        return event;
      }
      if (!line.startsWith('data:')) return undefined;
      length += line.length;
      if (length > maxLineBytes)
        throw new HearthError('remote_failed', `the remote "${remote}" sent an event that is too long`);
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      return undefined;
    },
  };
}
