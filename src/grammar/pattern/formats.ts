// Formats that strings are held to, as regular expressions. Each is narrower than its standard: what follows it is valid
// for every validator. Formats that are not here say something about a string and ask nothing of it.

import { parsePattern } from './parse-pattern.ts';
import type { Pattern } from './pattern.ts';

const day = '(?:0[1-9]|1\\d|2[0-8])';
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const date = [
  `\\d{4}-(?:0[1-9]|1[0-2])-${day}`,
  '\\d{4}-(?:0[13-9]|1[0-2])-(?:29|30)',
  '\\d{4}-(?:0[13578]|1[02])-31',
  `${leapYear}-02-29`,
].join('|');
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = `${octet}(?:\\.${octet}){3}`;
const group = '[0-9a-fA-F]{1,4}';
/** `::` stands for as many groups as are missing, and always for one at least. */
const shortened = Array.from({ length: 8 }, (_, before) => {
  const head = before === 0 ? '' : `${group}(?::${group}){${before - 1}}`;
  const tail = before === 7 ? '' : `(?:${group}(?::${group}){0,${6 - before}})?`;
  return `${head}::${tail}`;
});
const ipv6 = [`${group}(?::${group}){7}`, ...shortened].join('|');

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
// A name may have 253 characters, and a label 63.
const shortLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,29}[a-zA-Z0-9])?';
const hostname = `${shortLabel}(?:\\.${shortLabel}){0,6}`;
const mailbox = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+";
const email = `${mailbox}(?:\\.${mailbox})*@(?:${label}\\.)+${label}`;
const uriCharacter = "(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})";
const uri = [
  '[a-zA-Z][a-zA-Z0-9+.-]*://',
  `(?:[a-zA-Z0-9._~-]+@)?${label}(?:\\.${label})*(?::[0-9]{1,5})?(?:/${uriCharacter}*)*`,
  `(?:\\?(?:${uriCharacter}|[/?])*)?(?:#(?:${uriCharacter}|[/?])*)?`,
].join('');

const sources: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `(?:${date})T${time}`,
  uuid: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  email,
  ipv4,
  ipv6,
  hostname,
  uri,
};

const parsed = new Map<string, Pattern>();

export function formatPattern(name: string): Pattern | undefined {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined) return undefined;
  const pattern = parsed.get(name) ?? parsePattern(`^(?:${source})$`, name);
  parsed.set(name, pattern);
  return pattern;
}
