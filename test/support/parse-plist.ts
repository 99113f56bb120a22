// A strict parser of the property lists that this program writes.

import type { PlistValue } from '../../src/features/service/launchd.ts';

const head =
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist PUBLIC "-\/\/Apple\/\/DTD PLIST 1\.0\/\/EN" "[^"]+">\n<!--[^>]*-->\n<plist version="1\.0">\n/;

export function parsePlist(text: string): PlistValue {
  if (!head.test(text) || !text.endsWith('</plist>\n')) throw new Error('not a property list');
  const body = text.replace(head, '').slice(0, -'</plist>\n'.length);
  const tokens = body.match(/<[^>]+>|[^<]+/g)?.filter((token) => token.trim() !== '') ?? [];
  const value = parseValue(tokens);
  if (tokens.length > 0) throw new Error(`text after the value: ${tokens[0]}`);
  return value;
}

function parseValue(tokens: string[]): PlistValue {
  const tag = tokens.shift();
  switch (tag) {
    case '<true/>':
      return true;
    case '<false/>':
      return false;
    case '<string>':
      return parseText(tokens, '</string>');
    case '<integer>':
      return Number(parseText(tokens, '</integer>'));
    case '<array>':
      return parseUntil(tokens, '</array>', () => parseValue(tokens));
    case '<dict>':
      return Object.fromEntries(
        parseUntil(tokens, '</dict>', () => {
          expectToken(tokens, '<key>');
          return [parseText(tokens, '</key>'), parseValue(tokens)];
        }),
      );
    default:
      throw new Error(`unexpected ${tag}`);
  }
}

function parseUntil<T>(tokens: string[], end: string, parse: () => T): T[] {
  const values: T[] = [];
  while (tokens[0] !== end) {
    if (tokens.length === 0) throw new Error(`${end} is missing`);
    values.push(parse());
  }
  tokens.shift();
  return values;
}

function parseText(tokens: string[], end: string): string {
  const text = tokens[0] === end ? '' : (tokens.shift() ?? '');
  expectToken(tokens, end);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function expectToken(tokens: string[], wanted: string): void {
  const token = tokens.shift();
  if (token !== wanted) throw new Error(`${wanted} is missing before ${token}`);
}
