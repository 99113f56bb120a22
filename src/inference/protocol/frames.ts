// Framing of messages between server and runner: one JSON value per line. They use a separate pipe, so that output of
// native code cannot be mistaken for a message.

import { messageOf } from '../../base/errors.ts';

// Bytes of a frame. A command can contain an entire prompt with images; an event contains the text of a few steps or
// the tokens of a context.
export const maxCommand = 512 * 2 ** 20;
/** Characters of all images of a command in total; the rest of the frame is for its text. */
export const maxImages = 384 * 2 ** 20;
export const maxEvent = 64 * 2 ** 20;

const lineFeed = 0x0a;

export function encodeFrame(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

interface FrameReaderOptions {
  /** A longer frame is an error, so that the reader's memory is bounded. */
  readonly maxBytes: number;
  readonly onFrame: (value: unknown) => void;
  /** Called once. Nothing is read after it. */
  readonly onInvalid: (reason: string) => void;
}

/** Returns a function that accepts the chunks of a stream. Frames may span chunks. */
export function createFrameReader({ maxBytes, onFrame, onInvalid }: FrameReaderOptions): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let broken = false;

  const fail = (reason: string): void => {
    broken = true;
    parts = [];
    onInvalid(reason);
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
      fail(`not JSON: ${messageOf(error)}`);
      return;
    }
    onFrame(value);
  };

  return (chunk) => {
    let start = 0;
    while (!broken && start < chunk.length) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (length + part.length > maxBytes) return fail(`a frame of more than ${maxBytes} bytes`);
      take(part);
      if (end === -1) return;
      finish();
      start = end + 1;
    }
  };
}
