// Sprintf of Go. Like Go, it prints errors instead of failing: %!d(MISSING), %!(EXTRA …), %!(BADWIDTH).

import type { Meter } from '../values/limits.ts';
import { typeNameOf, type Value } from '../values/values.ts';
import { type FormatSpec, plainSpec } from './format-spec.ts';
import { formatValue } from './format-value.ts';

interface Reader {
  readonly format: string;
  readonly args: readonly Value[];
  offset: number;
  /** The index of the next argument. */
  next: number;
  /** `%[2]d` was used, so unused arguments are not reported. */
  reordered: boolean;
  /** The argument index in the current verb is out of range. */
  badIndex: boolean;
  /** The previous item was an argument index. */
  afterIndex: boolean;
}

// The limit of Go for a width from an argument. Digits are read as long as the number so far is not above it.
const maxWidth = 1_000_000;

export function sprintf(format: string, args: readonly Value[], meter: Meter): string {
  const reader: Reader = { format, args, offset: 0, next: 0, reordered: false, badIndex: false, afterIndex: false };
  let text = '';
  while (reader.offset < format.length) {
    const percent = format.indexOf('%', reader.offset);
    text += format.slice(reader.offset, percent === -1 ? undefined : percent);
    if (percent === -1) break;
    reader.offset = percent + 1;
    text += formatNext(reader, meter);
  }
  meter.text(format.length);
  return text + formatExtra(reader, meter);
}

function formatNext(reader: Reader, meter: Meter): string {
  meter.step();
  reader.badIndex = false;
  reader.afterIndex = false;
  const { spec, complaints } = readSpec(reader);
  if (reader.offset >= reader.format.length) return `${complaints}%!(NOVERB)`;
  const verb = String.fromCodePoint(reader.format.codePointAt(reader.offset) as number);
  reader.offset += verb.length;
  if (verb === '%') return `${complaints}%`;
  if (reader.badIndex) return `${complaints}%!${verb}(BADINDEX)`;
  if (reader.next >= reader.args.length) return `${complaints}%!${verb}(MISSING)`;
  const value = reader.args[reader.next++];
  const isV = verb === 'v';
  const complete = { ...spec, verb, goSyntax: isV && spec.sharp, sharp: spec.sharp && !isV, plus: spec.plus && !isV };
  return complaints + formatValue(value, complete, meter);
}

type Flags = Pick<FormatSpec, 'plus' | 'minus' | 'sharp' | 'space' | 'zero'>;
const flagNames: Readonly<Record<string, keyof Flags>> = {
  '+': 'plus',
  '-': 'minus',
  '#': 'sharp',
  ' ': 'space',
  '0': 'zero',
};

function readSpec(reader: Reader): { spec: FormatSpec; complaints: string } {
  let spec = plainSpec;
  for (let flag = flagAt(reader); flag !== undefined; flag = flagAt(reader)) {
    spec = { ...spec, [flag]: true };
    reader.offset++;
  }
  const width = readWidth(reader, spec);
  const precision = readPrecision(reader);
  // An argument index can also directly precede the verb.
  if (!reader.afterIndex) readIndex(reader);
  return {
    spec: { ...width.spec, precision: precision.value },
    complaints: width.complaint + precision.complaint,
  };
}

function readWidth(reader: Reader, spec: FormatSpec): { spec: FormatSpec; complaint: string } {
  readIndex(reader);
  if (reader.format[reader.offset] === '*') {
    const width = takeNumber(reader);
    if (width === undefined) return { spec, complaint: '%!(BADWIDTH)' };
    return { spec: { ...spec, width: Math.abs(width), minus: spec.minus || width < 0 }, complaint: '' };
  }
  const width = readDigits(reader);
  if (width !== undefined && reader.afterIndex) reader.badIndex = true;
  return { spec: { ...spec, width }, complaint: '' };
}

function readPrecision(reader: Reader): { value: number | undefined; complaint: string } {
  if (reader.format[reader.offset] !== '.') return { value: undefined, complaint: '' };
  reader.offset++;
  if (reader.afterIndex) reader.badIndex = true;
  readIndex(reader);
  if (reader.format[reader.offset] !== '*') return { value: readDigits(reader) ?? 0, complaint: '' };
  const value = takeNumber(reader);
  return value === undefined || value < 0 ? { value: undefined, complaint: '%!(BADPREC)' } : { value, complaint: '' };
}

function flagAt({ format, offset }: Reader): keyof Flags | undefined {
  const character = format[offset] ?? '';
  return Object.hasOwn(flagNames, character) ? flagNames[character] : undefined;
}

/** `[2]`: the next argument is the second. */
function readIndex(reader: Reader): void {
  reader.afterIndex = false;
  if (reader.format[reader.offset] !== '[') return;
  reader.reordered = true;
  const end = reader.format.indexOf(']', reader.offset);
  const inner = end === -1 ? '' : reader.format.slice(reader.offset + 1, end);
  const isNumber = /^[0-9]{1,7}$/.test(inner);
  const index = isNumber ? Number(inner) : 0;
  reader.offset = end === -1 ? reader.offset + 1 : end + 1;
  reader.afterIndex = isNumber;
  if (index >= 1 && index <= reader.args.length) reader.next = index - 1;
  else reader.badIndex = true;
}

/** The argument for a `*`; undefined if it is not a usable integer. */
function takeNumber(reader: Reader): number | undefined {
  reader.offset++;
  reader.afterIndex = false;
  const value = reader.next < reader.args.length ? reader.args[reader.next++] : undefined;
  if (typeof value !== 'bigint' || value > maxWidth || value < -maxWidth) return undefined;
  return Number(value);
}

function readDigits(reader: Reader): number | undefined {
  const start = reader.offset;
  let value = 0;
  for (;;) {
    const code = reader.format.charCodeAt(reader.offset);
    if (!(code >= 48 && code <= 57)) return reader.offset === start ? undefined : value;
    if (value > maxWidth) {
      // Go stops parsing the format here.
      reader.offset = reader.format.length;
      return undefined;
    }
    value = value * 10 + (code - 48);
    reader.offset++;
  }
}

function formatExtra({ args, next, reordered }: Reader, meter: Meter): string {
  if (reordered || next >= args.length) return '';
  const extra = args.slice(next).map((value) => {
    if (value === null || value === undefined) return '<nil>';
    return `${typeNameOf(value)}=${formatValue(value, plainSpec, meter)}`;
  });
  return `%!(EXTRA ${extra.join(', ')})`;
}
