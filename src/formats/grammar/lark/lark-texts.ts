// Strings, ranges and regular expressions of Lark as regular expressions in the syntax of `pattern`.

import type { HearthError } from '../../../base/errors.ts';

/** The error of the text, with its place. */
export type LarkFailure = (reason: string) => HearthError;

const special = /[\\^$.*+?()[\]{}|/]/g;
const specialInClass = /[\\^\]-]/g;

/** A string with its quotes, and perhaps the flag i. */
export function literalOf(token: string, fail: LarkFailure): string {
  const ignoresCase = token.endsWith('i');
  const text = unquote(ignoresCase ? token.slice(0, -1) : token, fail);
  const escaped = (part: string): string => part.replace(special, '\\$&');
  if (!ignoresCase) return escaped(text);
  return [...text]
    .map((one) => (/[a-z]/i.test(one) ? `[${one.toLowerCase()}${one.toUpperCase()}]` : escaped(one)))
    .join('');
}

export function rangeOf(first: string, last: string, fail: LarkFailure): string {
  const [from, to] = [unquote(first, fail), unquote(last, fail)];
  if ([...from].length !== 1 || [...to].length !== 1) throw fail('has a range of more than single characters');
  return `[${from.replace(specialInClass, '\\$&')}-${to.replace(specialInClass, '\\$&')}]`;
}

/** A regular expression with its slashes. */
export function regexOf(token: string, fail: LarkFailure): string {
  const end = token.lastIndexOf('/');
  if (token.length > end + 1) throw fail(`has a regular expression with the flags ${token.slice(end + 1)}`);
  return `(?:${token.slice(1, end)})`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };

function unquote(token: string, fail: LarkFailure): string {
  return token.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => {
    if (/[xuUN0-7]/.test(sign)) throw fail(`has a string with the escape \\${sign}`);
    return escapes[sign] ?? sign;
  });
}
