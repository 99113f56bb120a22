// Messages on the wire between server and runner: one JSON value a line, over a pipe of its own, so that
// neither stray output of native code nor a log line can be taken for a message.

import { messageOf } from '../../base/errors.ts';

// A command can carry a whole prompt with pictures; an event carries text of a few steps or the tokens of a context.
export const maxCommand = 512 * 2 ** 20;
/** Characters of all pictures of a command together; the rest is for its text. */
export const maxImages = 384 * 2 ** 20;
export const maxEvent = 64 * 2 ** 20;

const lineFeed = 0x0a;

export function encodeFrame(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

export interface FrameReaderOptions {
  /** Bytes; a longer frame is an error, so that a flood cannot fill the memory. */
  readonly longest: number;
  readonly onFrame: (value: unknown) => void;
  /** Called once; nothing is read after it. */
  readonly onGarbage: (reason: string) => void;
}

/** Returns a function to be fed with the chunks of a stream, however they are cut. */
export function createFrameReader({ longest, onFrame, onGarbage }: FrameReaderOptions): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let broken = false;

  const giveUp = (reason: string): void => {
    broken = true;
    parts = [];
    onGarbage(reason);
  };

  const take = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };

  const finish = (): void => {
    const line = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length);
    parts = [];
    length = 0;
    let value: unknown;
    try {
      value = JSON.parse(line.toString('utf8'));
    } catch (error) {
      giveUp(`not JSON: ${messageOf(error)}`);
      return;
    }
    onFrame(value);
  };

  return (chunk) => {
    let start = 0;
    while (!broken && start < chunk.length) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (length + part.length > longest) return giveUp(`a frame of more than ${longest} bytes`);
      take(part);
      if (end === -1) return;
      finish();
      start = end + 1;
    }
  };
}
