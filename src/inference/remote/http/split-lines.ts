// The lines of a response of a remote, and the data of server-sent events. A remote may send anything, so both are bounded.

import { HearthError } from '../../../base/errors.ts';
import { createLineSplitter, type LineSplitter } from '../../../base/text/line-splitter.ts';

const maxLineBytes = 8 * 2 ** 20;

/** Without their line ends, also those of two characters. */
export function createRemoteLines(remote: string, maxBytes = maxLineBytes): LineSplitter {
  const tooLong = (limit: number): HearthError =>
    new HearthError('remote_failed', `the remote "${remote}" sent a line of more than ${limit} bytes`);
  const { push, end } = createLineSplitter({ maxBytes, tooLong });
  return { push: (chunk) => push(chunk).map(withoutReturn), end: () => end().map(withoutReturn) };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

export function createEventReader(remote: string) {
  let data: string[] = [];
  let length = 0;
  return {
    /** The data of the event that the line ends; undefined if it ends none. Other fields and comments are left out. */
    push(line: string): string | undefined {
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
