// Formats floats like strconv of Go. JavaScript rounds halves away from zero, Go to even, and JavaScript is limited to
// 100 digits. So with a precision, digits are computed from the exact value.

/** An unsigned number: 0.digits × 10^point. Zero has no digits. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

export type FloatFormat = 'e' | 'f' | 'g';

/** As Go's %v prints a float64. */
export function formatGoFloat(value: number): string {
  return `${value < 0 ? '-' : ''}${floatToText(Math.abs(value), 'g')}`;
}

/** Formats a non-negative float; without a precision, with the fewest digits that identify it. */
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

/** The unsigned float as mantissa × 2^exponent. */
export function toBinary(value: number): { readonly mantissa: bigint; readonly exponent: number } {
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
  const integer = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const text = integer.toString();
  return { digits: withoutZeros(text), point: text.length + Math.min(exponent, 0) };
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** Rounds to `count` digits, halves to even. */
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
  const integer = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places === 0) return integer;
  const zeros = '0'.repeat(Math.min(Math.max(-point, 0), places));
  return `${integer}.${(zeros + digits.slice(Math.max(point, 0))).slice(0, places).padEnd(places, '0')}`;
}
