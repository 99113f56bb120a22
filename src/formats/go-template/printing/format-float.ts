// Formats floats for each verb. Returns undefined if the verb does not apply.

import { type FloatFormat, floatToText, signedExponent, toBinary } from '../../../base/text/go-float.ts';
import type { Meter } from '../values/limits.ts';
import { type FormatSpec, pad, signOf } from './format-spec.ts';

const defaultPrecision: Readonly<Record<string, number>> = { e: 6, E: 6, f: 6, F: 6 };

export function formatFloat(value: number, spec: FormatSpec, meter: Meter): string | undefined {
  if (!'vgGeEfFbxX'.includes(spec.verb)) return undefined;
  if (!Number.isFinite(value)) return pad(nameOfInfinite(value), { ...spec, zero: false }, meter);
  // The cost of the exact digits of a very small number.
  meter.step(spec.precision === undefined ? 0 : 64);
  meter.text(spec.precision ?? 0);
  const sign = signOf(value < 0 || Object.is(value, -0), spec);
  const text = writeFloat(Math.abs(value), spec);
  if (!spec.zero || spec.minus) return pad(sign + text, spec, meter);
  meter.text(spec.width ?? 0);
  return sign + text.padStart((spec.width ?? 0) - sign.length, '0');
}

// Infinity and NaN. They do not occur in JSON.
function nameOfInfinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value < 0 ? '-Inf' : '+Inf';
}

function writeFloat(value: number, spec: FormatSpec): string {
  const { verb, precision = defaultPrecision[verb] } = spec;
  if (verb === 'b') return writeBinary(value);
  const lower = verb.toLowerCase();
  const text = lower === 'x' ? writeHexadecimal(value, precision) : floatToText(value, decimalFormat(lower), precision);
  // Go pads these with zeros, and counts the x of 0x as a digit.
  const significant = 'vgGx'.includes(verb) ? (precision ?? 6) : 0;
  const result = spec.sharp ? withPoint(text, significant) : text;
  return 'EGX'.includes(verb) ? result.toUpperCase() : result;
}

function decimalFormat(verb: string): FloatFormat {
  return verb === 'e' || verb === 'f' ? verb : 'g';
}

/** For `%#g` and similar: always a decimal point, with trailing zeros. */
function withPoint(text: string, significant: number): string {
  const tail = (text.startsWith('0x') ? /p.*$/ : /e.*$/).exec(text)?.[0] ?? '';
  const mantissa = text.slice(0, text.length - tail.length);
  const hasPoint = mantissa.includes('.');
  const counted = mantissa.replace('.', '').replace(/^0+(?=[1-9x])/, '');
  const present = /[1-9x]/.test(counted) || !hasPoint ? counted.length : 0;
  return mantissa + (hasPoint ? '' : '.') + '0'.repeat(Math.max(significant - present, 0)) + tail;
}

function writeBinary(value: number): string {
  const { mantissa, exponent } = toBinary(value);
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

function writeHexadecimal(value: number, precision: number | undefined): string {
  let { mantissa, exponent } = toBinary(value);
  if (mantissa === 0n) return `0x0${precision ? `.${'0'.repeat(precision)}` : ''}p+00`;
  while (mantissa < 2n ** 52n) {
    mantissa <<= 1n;
    exponent--;
  }
  exponent += 52;
  if (precision !== undefined && precision < 13) {
    const dropped = BigInt(52 - precision * 4);
    const half = 1n << (dropped - 1n);
    const rest = mantissa & ((1n << dropped) - 1n);
    mantissa >>= dropped;
    if (rest > half || (rest === half && mantissa % 2n === 1n)) mantissa++;
    mantissa <<= dropped;
    if (mantissa === 2n ** 53n) {
      mantissa = 2n ** 52n;
      exponent++;
    }
  }
  const all = (mantissa - 2n ** 52n).toString(16).padStart(13, '0');
  const fraction = precision === undefined ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  return `0x1${fraction === '' ? '' : `.${fraction}`}p${signedExponent(exponent)}`;
}
