// Floats as Go's strconv writes them. JavaScript rounds halves away from zero where Go rounds to even, and stops at a
// hundred digits, so what is asked for with a precision is computed from the exact value.

/** A number without its sign: 0.digits times ten to the power of `point`; no digits are zero. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

export type FloatFormat = 'e' | 'f' | 'g';

/** The text of a float that is not negative; without a precision, as short as it can be to be read back. */
export function floatToText(value: number, format: FloatFormat, precision?: number): string {
  if (format === 'e')
    return writeExponent(decimalOf(value, precision === undefined ? undefined : precision + 1), precision);
  if (format === 'f') return writeFixed(roundToPoint(value, precision), precision);
  const significant = precision === undefined ? undefined : Math.max(precision, 1);
  const decimal = decimalOf(value, significant);
  const { digits, point } = decimal;
  let threshold = significant ?? 6;
  if (significant !== undefined && threshold > digits.length && digits.length >= point) threshold = digits.length;
  const exponent = point - 1;
  if (digits !== '' && (exponent < -4 || exponent >= threshold)) return writeExponent(decimal, digits.length - 1);
  return writeFixed(decimal, Math.max(digits.length - point, 0));
}

function decimalOf(value: number, significant: number | undefined): Decimal {
  if (significant === undefined) return shortest(value);
  const exact = exactDecimal(value);
  return round(exact, significant);
}

function roundToPoint(value: number, precision: number | undefined): Decimal {
  if (precision === undefined) return shortest(value);
  const exact = exactDecimal(value);
  return round(exact, exact.point + precision);
}

function shortest(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

export interface BinaryFloat {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** The float as mantissa times two to the power of exponent, without its sign. */
export function toBinary(value: number): BinaryFloat {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & (2n ** 52n - 1n);
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | (2n ** 52n), exponent: biased - 1075 };
}

function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const { mantissa, exponent } = toBinary(value);
  const whole = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const text = whole.toString();
  return { digits: withoutZeros(text), point: text.length + Math.min(exponent, 0) };
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** To so many digits, halves to even. */
function round({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '', point: 0 };
  const kept = digits.slice(0, count);
  const next = digits.charCodeAt(count) - 48;
  const isHalf = next === 5 && digits.length === count + 1;
  const isOdd = count > 0 && (kept.charCodeAt(count - 1) - 48) % 2 === 1;
  if (isHalf ? !isOdd : next < 5) {
    const trimmed = withoutZeros(kept);
    return { digits: trimmed, point: trimmed === '' ? 0 : point };
  }
  const raised = (BigInt(`0${kept}`) + 1n).toString().padStart(count, '0');
  return { digits: withoutZeros(raised), point: raised.length > count ? point + 1 : point };
}

function writeExponent({ digits, point }: Decimal, precision: number | undefined): string {
  const places = precision ?? Math.max(digits.length - 1, 0);
  const fraction = digits.slice(1).padEnd(places, '0');
  return `${digits[0] ?? '0'}${places > 0 ? `.${fraction}` : ''}e${signedExponent(digits === '' ? 0 : point - 1)}`;
}

export function signedExponent(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function writeFixed({ digits, point }: Decimal, precision: number | undefined): string {
  const places = precision ?? Math.max(digits.length - point, 0);
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places === 0) return whole;
  const zeros = '0'.repeat(Math.min(Math.max(-point, 0), places));
  return `${whole}.${(zeros + digits.slice(Math.max(point, 0))).slice(0, places).padEnd(places, '0')}`;
}
