// A template's own failure, with the place in its text.

import { HearthError } from '../kernel/errors.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function templateError(message: string, { line, column }: Position): HearthError {
  return new HearthError('bad_template', `template: ${line}:${column}: ${message}`);
}

/** A function that tells where an offset lies in a text, line and column both counted from 1. */
export function createLocator(text: string): (offset: number) => Position {
  const lineStarts = [0];
  for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) lineStarts.push(feed + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lineStarts[low] as number) + 1 };
  };
}
