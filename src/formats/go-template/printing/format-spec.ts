// The flags, width and precision of a verb, and padding.

import type { Meter } from '../values/limits.ts';

export interface FormatSpec {
  readonly verb: string;
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  /** `%#v`: Go syntax. */
  readonly goSyntax: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

export const plainSpec: FormatSpec = {
  verb: 'v',
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  goSyntax: false,
  width: undefined,
  precision: undefined,
};

/** Pads to the width, in characters. */
export function pad(text: string, spec: FormatSpec, meter: Meter): string {
  if (spec.width === undefined || spec.width === 0) return text;
  meter.text(spec.width);
  const missing = spec.width - lengthInCharacters(text);
  if (missing <= 0) return text;
  if (spec.minus) return text + ' '.repeat(missing);
  return (spec.zero ? '0' : ' ').repeat(missing) + text;
}

function lengthInCharacters(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The first `count` characters. */
export function truncateText(text: string, count: number | undefined): string {
  if (count === undefined || text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

export function signOf(negative: boolean, { plus, space }: FormatSpec): string {
  if (negative) return '-';
  if (plus) return '+';
  return space ? ' ' : '';
}
