// Parses a Range header with a single byte range. Lists of ranges and other units are ignored, as HTTP allows.
//
//   range = "bytes=" ( first "-" [ last ] | "-" length )

export interface InclusiveRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

export function parseRangeHeader(header: string | undefined, size: number): InclusiveRange | 'full' | 'unsatisfiable' {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'full';
  if (first === '') return suffix(Number(last), size);
  const range = { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (last !== '' && Number(last) < range.first) return 'full';
  return range.first >= size ? 'unsatisfiable' : range;
}

function suffix(length: number, size: number): InclusiveRange | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - length), last: size - 1 };
}
