// The lines of a response of the server.

import { createLineSplitter, type LineSplitter } from '../base/text/line-splitter.ts';
import { ClientError } from './client-error.ts';

// The longest valid line is the last one of a response: it lists the tokens of an entire context.
const maxLineBytes = 16 * 2 ** 20;

/** Leaves out blank lines. */
export function createLineDecoder(maxBytes = maxLineBytes): LineSplitter {
  const { push, end } = createLineSplitter({ maxBytes, tooLong });
  return { push: (chunk) => push(chunk).filter(isNotBlank), end: () => end().filter(isNotBlank) };
}

function tooLong(maxBytes: number): ClientError {
  return new ClientError('broken', `the server sent a line of more than ${maxBytes} bytes`);
}

function isNotBlank(line: string): boolean {
  return line.trim() !== '';
}
