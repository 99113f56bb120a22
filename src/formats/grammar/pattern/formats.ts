// String formats as regular expressions. Each is stricter than its standard, so that every validator accepts the
// result. Formats that are not listed are annotations and are ignored.

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
/** `::` stands for the missing groups, at least one. */
const shortened = Array.from({ length: 8 }, (_, before) => {
  const head = before === 0 ? '' : `${group}(?::${group}){${before - 1}}`;
  const tail = before === 7 ? '' : `(?:${group}(?::${group}){0,${6 - before}})?`;
  return `${head}::${tail}`;
});
const ipv6 = [`${group}(?::${group}){7}`, ...shortened].join('|');

// A name may have 253 characters, and a label 63.
const shortLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,29}[a-zA-Z0-9])?';
const hostname = `${shortLabel}(?:\\.${shortLabel}){0,6}`;
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const mailCharacter = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]";
const email = `${mailCharacter}+(?:\\.${mailCharacter}+)*@(?:${label}\\.)+${label}`;
const shortEmail = `${mailCharacter}{1,32}(?:\\.${mailCharacter}{1,32})?@(?:${shortLabel}\\.){1,3}${shortLabel}`;
const uriCharacter = "(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})";

/** `characters` and `parts` are the quantifiers of the characters in a part and of the parts. */
function uriOf(hostLabel: string, characters: string, parts: string): string {
  const tail = `(?:${uriCharacter}|[/?])${characters}`;
  return [
    `[a-zA-Z][a-zA-Z0-9+.-]${parts}://${hostLabel}(?:\\.${hostLabel})${parts}(?::[0-9]{1,5})?`,
    `(?:/${uriCharacter}${characters})${parts}(?:\\?${tail})?(?:#${tail})?`,
  ].join('');
}
const uri = uriOf(label, '*', '*');
const uriReference = `(?:${uri}|(?:/${uriCharacter}+)+(?:\\?(?:${uriCharacter}|[/?])*)?)`;
const shortUri = uriOf(shortLabel, '{0,64}', '{0,8}');

/** One or more of the parts, in their order and without a gap. */
const inOrder = (parts: readonly string[]): string =>
  parts.map((_, index) => parts.slice(index).reduceRight((rest, part) => `${part}(?:${rest})?`)).join('|');
const days = inOrder(['\\d{1,4}Y', '\\d{1,2}M', '\\d{1,3}D']);
const hours = inOrder(['\\d{1,3}H', '\\d{1,3}M', '\\d{1,5}S']);
const pointer = '(?:/(?:[^~/]|~[01])*)*';

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
  duration: `P(?:\\d{1,4}W|T(?:${hours})|(?:${days})(?:T(?:${hours}))?)`,
  url: `https?://(?:[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*\\.)+[a-zA-Z]{2,12}(?::[0-9]{2,5})?(?:/${uriCharacter}*)*`,
  'uri-reference': uriReference,
  'json-pointer': pointer,
  'relative-json-pointer': `(?:0|[1-9][0-9]{0,2})(?:#|${pointer})`,
  'uri-template': '(?:[a-zA-Z0-9._~!$&()*+,;=:@/?#-]|%[0-9a-fA-F]{2}|\\{[a-zA-Z0-9_]+\\})*',
  byte: '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?',
  'iso-time': time,
  'iso-date-time': `(?:${date})T${time}`,
  // The international formats include the ASCII ones.
  'idn-email': email,
  'idn-hostname': hostname,
  iri: uri,
  'iri-reference': uriReference,
};

const shortSources: Readonly<Record<string, string>> = {
  email: shortEmail,
  'idn-email': shortEmail,
  uri: shortUri,
  iri: shortUri,
};

const parsed = new Map<string, Pattern>();

export function formatPattern(name: string): Pattern | undefined {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined) return undefined;
  const anchored = (inner: string): Pattern => parsePattern(`^(?:${inner})$`, name);
  const short = Object.hasOwn(shortSources, name) ? shortSources[name] : undefined;
  const pattern = parsed.get(name) ?? { ...anchored(source), ...(short ? { shortForm: anchored(short).node } : {}) };
  parsed.set(name, pattern);
  return pattern;
}
