// A template's own failure, with the place in its text.

import { HearthError, messageOf } from '../../base/errors.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function templateError(message: string, { line, column }: Position): HearthError {
  return new HearthError('bad_template', `template: ${line}:${column}: ${message}`);
}

/** Whatever was thrown while a template was read or rendered, as its failure at that place. */
export function toTemplateError(thrown: unknown, position: Position): HearthError {
  if (thrown instanceof HearthError) return thrown;
  // The limits leave no way known to fill the stack or the longest string; a RangeError would be one more.
  if (thrown instanceof RangeError) return templateError('it is nested too deep or makes too long a text', position);
  return templateError(messageOf(thrown), position);
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
