// Template errors, with the position in the source.

import { HearthError, messageOf } from '../../../base/errors.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function templateError(message: string, { line, column }: Position): HearthError {
  return new HearthError('bad_template', `template: ${line}:${column}: ${message}`);
}

/** Converts anything thrown while parsing or rendering to a template error at that position. */
export function toTemplateError(thrown: unknown, position: Position): HearthError {
  if (thrown instanceof HearthError) return thrown;
  // The limits should prevent stack overflows and oversized strings. A RangeError shows a case that they miss.
  if (thrown instanceof RangeError) return templateError('it is nested too deeply or produces too much text', position);
  return templateError(messageOf(thrown), position);
}

/** Returns a function from an offset to its position, with line and column from 1. */
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
