// Go durations, the format of `keep_alive`.
//
//   duration = [ "+" | "-" ] ( "0" | part { part } )
//   part     = digits [ "." [ digits ] ] unit  |  "." digits unit
//   unit     = "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h"

import { badRequest } from '../errors.ts';

const nanosecondsPerUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3, // U+00B5, micro sign
  μs: 1e3, // U+03BC, Greek mu
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

export const nanosecondsPerMicrosecond = 1e3;
export const nanosecondsPerMillisecond = 1e6;
export const nanosecondsPerSecond = 1e9;

/** Returns nanoseconds, possibly negative. The error messages are Go's, which clients of this API know. */
export function parseDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0;
  if (body === '') throw badRequest(`time: invalid duration ${quote(text)}`);

  let rest = body;
  let total = 0;
  while (rest !== '') {
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw badRequest(`time: invalid duration ${quote(text)}`);
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) throw badRequest(`time: missing unit in duration ${quote(text)}`);
    const factor = Object.hasOwn(nanosecondsPerUnit, unit) ? nanosecondsPerUnit[unit] : undefined;
    if (factor === undefined) throw badRequest(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    rest = rest.slice(unit.length);
    total += Number(number) * factor;
  }
  return sign * total;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
