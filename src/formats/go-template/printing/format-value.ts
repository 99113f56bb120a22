// Formats any value for a verb.

import { type Meter, maxValueDepth } from '../values/limits.ts';
import {
  asText,
  customText,
  entryOf,
  type ListValue,
  type MapValue,
  sortedKeys,
  typeNameOf,
  type Value,
} from '../values/values.ts';
import { formatFloat } from './format-float.ts';
import { formatInteger } from './format-integer.ts';
import { type FormatSpec, pad, plainSpec, truncateText } from './format-spec.ts';
import { isRawQuotable, quote } from './quote.ts';

interface Printer {
  readonly spec: FormatSpec;
  readonly meter: Meter;
  readonly depth: number;
  /** Whether the value is part of an error such as `%!d(…)`, where custom text is not used. */
  readonly erring: boolean;
}

export function formatValue(value: Value, spec: FormatSpec, meter: Meter): string {
  return format(value, { spec, meter, depth: 0, erring: false });
}

/** Formats like `%v`. */
export function printValue(value: Value, meter: Meter): string {
  return typeof value === 'string' ? value : formatValue(value, plainSpec, meter);
}

function format(value: Value, printer: Printer): string {
  const { spec, meter, depth } = printer;
  if (depth > maxValueDepth) throw new Error(`a value is nested more than ${maxValueDepth} levels deep`);
  meter.step();
  if (value === null || value === undefined) return formatNothing(printer);
  if (spec.verb === 'T') return pad(truncateText(typeNameOf(value), spec.precision), spec, meter);
  if (!printer.erring && !spec.goSyntax && 'vsxXq'.includes(spec.verb)) {
    const text = customText(value, asText);
    if (text !== undefined) return formatText(text, printer) ?? '';
  }
  // Go prints the address of lists and maps. There is none here.
  if (spec.verb === 'p' && typeof value === 'object') return pad('0xc000000000', spec, meter);
  return formatKnown(value, printer) ?? formatBadVerb(value, printer);
}

function formatNothing(printer: Printer): string {
  const { spec, meter, depth } = printer;
  if (depth > 0) return spec.goSyntax ? 'interface {}(nil)' : '<nil>';
  return spec.verb === 'v' || spec.verb === 'T' ? pad('<nil>', spec, meter) : `%!${spec.verb}(<nil>)`;
}

function formatKnown(value: NonNullable<Value>, printer: Printer): string | undefined {
  const { spec, meter } = printer;
  switch (typeof value) {
    case 'string':
      return formatText(value, printer);
    case 'boolean':
      return spec.verb === 't' || spec.verb === 'v' ? pad(String(value), spec, meter) : undefined;
    case 'bigint':
      return formatInteger(value, spec, meter);
    case 'number':
      return formatFloat(value, spec, meter);
    default:
      return Array.isArray(value) ? formatList(value, printer) : formatMap(value as MapValue, printer);
  }
}

/** `%!d(string=hi)`: Go prints a mismatch instead of failing. */
function formatBadVerb(value: Value, printer: Printer): string {
  const text = format(value, { ...printer, spec: { ...printer.spec, verb: 'v' }, erring: true });
  return `%!${printer.spec.verb}(${typeNameOf(value)}=${text})`;
}

function formatText(text: string, { spec, meter }: Printer): string | undefined {
  meter.text(text.length);
  switch (spec.verb) {
    case 'v':
      return spec.goSyntax ? formatQuoted(text, spec, meter) : pad(truncateText(text, spec.precision), spec, meter);
    case 's':
      return pad(truncateText(text, spec.precision), spec, meter);
    case 'q':
      return formatQuoted(text, spec, meter);
    case 'x':
    case 'X':
      return formatHexadecimal(text, spec, meter);
    default:
      return undefined;
  }
}

function formatQuoted(text: string, spec: FormatSpec, meter: Meter): string {
  const part = truncateText(text, spec.precision);
  if (spec.sharp && isRawQuotable(part)) return pad(`\`${part}\``, spec, meter);
  // A character can become 10 characters: \U0001f600.
  meter.text(part.length * 5);
  return pad(quote(part, '"', spec.plus), spec, meter);
}

function formatHexadecimal(text: string, spec: FormatSpec, meter: Meter): string {
  meter.text(text.length * 6);
  const bytes = Buffer.from(text).subarray(0, spec.precision);
  if (bytes.length === 0) return pad('', spec, meter);
  const digits = spec.verb === 'X' ? bytes.toString('hex').toUpperCase() : bytes.toString('hex');
  const prefix = spec.sharp ? `0${spec.verb}` : '';
  if (!spec.space) return pad(prefix + digits, spec, meter);
  return pad((digits.match(/../g) ?? []).map((byte) => prefix + byte).join(' '), spec, meter);
}

function formatList(list: ListValue, printer: Printer): string {
  const inner = { ...printer, depth: printer.depth + 1 };
  const items = list.map((item) => format(item, inner));
  printer.meter.text(items.reduce((sum, item) => sum + item.length + 2, 2));
  if (printer.spec.goSyntax) return `${typeNameOf(list)}{${items.join(', ')}}`;
  return `[${items.join(' ')}]`;
}

function formatMap(map: MapValue, printer: Printer): string {
  const inner = { ...printer, depth: printer.depth + 1 };
  const items = sortedKeys(map).map((key) => `${format(key, inner)}:${format(entryOf(map, key), inner)}`);
  printer.meter.text(items.reduce((sum, item) => sum + item.length + 2, 5));
  if (printer.spec.goSyntax) return `${typeNameOf(map)}{${items.join(', ')}}`;
  return `map[${items.join(' ')}]`;
}
