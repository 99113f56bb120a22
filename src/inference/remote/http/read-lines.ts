// Splits the body of a response into lines, and server-sent events into their data. A remote may send anything: a line
// that does not end is refused before it fills the memory.

import { HearthError } from '../../../base/errors.ts';

const maxLineBytes = 8 * 2 ** 20;
const newline = 0x0a;

/** Without their line ends. What follows the last newline is a line, too. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
  maxBytes = maxLineBytes,
): AsyncGenerator<string> {
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
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

/** The data of each event. Other fields and comments are left out. */
export async function* readEventData(lines: AsyncIterable<string>, remote: string): AsyncGenerator<string> {
  let data: string[] = [];
  let length = 0;
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
      length = 0;
    } else if (line.startsWith('data:')) {
      length += line.length;
      if (length > maxLineBytes)
        throw new HearthError('remote_failed', `the remote "${remote}" sent an event that is too long`);
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
  // Some servers do not end the last event.
  if (data.length > 0) yield data.join('\n');
}
