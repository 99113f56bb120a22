// Parses number, character and string literals. Integers of Go are bigint, floats are number. Throws plain errors; the
// parser adds the position.

const decimalDigits = '[0-9](?:_?[0-9])*';
const integerForms: readonly (readonly [RegExp, string])[] = [
  [/^0[xX](?:_?[0-9a-fA-F])+$/, '0x'],
  [/^0[oO](?:_?[0-7])+$/, '0o'],
  [/^0[bB](?:_?[01])+$/, '0b'],
  [/^0(?:_?[0-7])*$/, '0o0'],
  [/^[1-9](?:_?[0-9])*$/, ''],
];
const decimalFloat = new RegExp(
  `^(?:${decimalDigits}(?:\\.(?:${decimalDigits})?)?|\\.${decimalDigits})(?:[eE][+-]?${decimalDigits})?$`,
);
const hexFloat = /^0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9]+)$/;

const maxInteger = 2n ** 63n - 1n;

export function parseNumber(text: string): bigint | number {
  if (text.endsWith('i')) throw new Error(`complex numbers such as ${text} are not supported`);
  const negative = text.startsWith('-');
  const unsigned = text.replace(/^[+-]/, '');
  const integer = parseInteger(unsigned);
  if (integer !== undefined) {
    const value = negative ? -integer : integer;
    if (value > maxInteger || value < -maxInteger - 1n) throw new Error(`integer overflow: ${text}`);
    return value;
  }
  const float = parseFloatingPoint(unsigned);
  if (float === undefined || !Number.isFinite(float)) throw new Error(`illegal number syntax: ${JSON.stringify(text)}`);
  return negative ? -float : float;
}

function parseInteger(text: string): bigint | undefined {
  for (const [form, prefix] of integerForms) {
    if (!form.test(text)) continue;
    const digits = text.replaceAll('_', '');
    if (digits.length > 100) throw new Error('integer overflow');
    return BigInt(prefix === '' ? digits : prefix + digits.slice(prefix === '0o0' ? 1 : 2));
  }
  return undefined;
}

function parseFloatingPoint(text: string): number | undefined {
  if (decimalFloat.test(text)) return /[.eE]/.test(text) ? Number(text.replaceAll('_', '')) : undefined;
  const match = hexFloat.exec(text);
  if (match === null) return undefined;
  const fraction = (match[2] ?? '').replaceAll('_', '');
  const digits = (match[1] ?? '').replaceAll('_', '') + fraction;
  if (digits === '' || digits.length > 100) return undefined;
  return Number(BigInt(`0x${digits}`)) * 2 ** (Number(match[3]) - 4 * fraction.length);
}

const namedEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };
const numberedEscape = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})/y;

interface Escape {
  readonly code: number;
  /** The length of the escape without the backslash. */
  readonly length: number;
  /** A byte of UTF-8, not a character. */
  readonly isByte: boolean;
}

function readEscape(text: string, offset: number, quote: string): Escape {
  const name = text[offset] ?? '';
  if (name === quote) return { code: quote.charCodeAt(0), length: 1, isByte: false };
  const named = Object.hasOwn(namedEscapes, name) ? namedEscapes[name] : undefined;
  if (named !== undefined) return { code: named, length: 1, isByte: false };
  numberedEscape.lastIndex = offset;
  const match = numberedEscape.exec(text);
  if (match === null) throw new Error(`unknown escape \\${name}`);
  const [all, byte, short, long, octal] = match;
  const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  const isByte = byte !== undefined || octal !== undefined;
  if (isByte ? code > 0xff : code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new Error(`\\${all} is not a character`);
  return { code, length: all.length, isByte };
}

/** The value of a quoted token. Invalid UTF-8 becomes U+FFFD. */
export function unquote(token: string): string {
  const inner = token.slice(1, -1);
  if (token.startsWith('`')) return inner.replaceAll('\r', '');
  if (!inner.includes('\\')) return inner;
  const parts: Buffer[] = [];
  let offset = 0;
  while (offset < inner.length) {
    const slash = inner.indexOf('\\', offset);
    parts.push(Buffer.from(inner.slice(offset, slash === -1 ? undefined : slash)));
    if (slash === -1) break;
    const escaped = readEscape(inner, slash + 1, '"');
    parts.push(escaped.isByte ? Buffer.from([escaped.code]) : Buffer.from(String.fromCodePoint(escaped.code)));
    offset = slash + 1 + escaped.length;
  }
  return Buffer.concat(parts).toString();
}

/** The code point of a character constant such as 'a'. */
export function parseCharacter(token: string): bigint {
  const inner = token.slice(1, -1);
  const malformed = new Error(`malformed character constant: ${token}`);
  if (inner === '') throw malformed;
  if (inner.startsWith('\\')) {
    const escaped = readEscape(inner, 1, "'");
    if (escaped.length !== inner.length - 1) throw malformed;
    return BigInt(escaped.code);
  }
  const code = inner.codePointAt(0) as number;
  if (String.fromCodePoint(code) !== inner) throw malformed;
  return BigInt(code);
}
