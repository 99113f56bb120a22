// The Range header, as far as it is of use for one file: a single range of bytes. Lists of ranges and other units are
// ignored, which HTTP allows.
//
//   range = "bytes=" ( first "-" [ last ] | "-" length )

export interface ByteRange {
  readonly first: number;
  /** The last byte that belongs to it. */
  readonly last: number;
}

export function parseByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') return suffix(Number(last), size);
  const range = { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (last !== '' && Number(last) < range.first) return 'whole';
  return range.first >= size ? 'unsatisfiable' : range;
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - length), last: size - 1 };
}
