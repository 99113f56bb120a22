// The tables of zstd's entropy coders, FSE and Huffman, as a block describes them (RFC 8878, section 4).

/** The code is that of Node's own errors. */
export class CorruptZstd extends Error {
  readonly code = 'ZSTD_error_corruption_detected';
}

export interface FseTable {
  readonly log: number;
  /** By state: its symbol, the bits to read for the next state, and what is added to them. */
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

export interface HuffmanTable {
  /** Bits of the longest code. */
  readonly log: number;
  /** By the next `log` bits: the symbol, and the length of its code. */
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

/** Part of a buffer. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

const highestBit = (value: number): number => 31 - Math.clz32(value);

/** Up to 25 bits, the lowest one at this position. What is behind the end of the buffer is zero. */
function bitsAt(bytes: Uint8Array, position: number, count: number): number {
  const at = position >> 3;
  const word =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return (word >>> (position & 7)) & ((1 << count) - 1);
}

/** Reads from the end of a span to its start. The highest set bit of the last byte marks the end. */
export class BackwardBits {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  #position: number;

  constructor({ bytes, at, end }: Span) {
    const last = end > at ? (bytes[end - 1] as number) : 0;
    if (last === 0) throw new CorruptZstd('a bit stream has no end');
    this.#bytes = bytes;
    this.#start = at * 8;
    this.#position = (end - 1) * 8 + highestBit(last);
  }

  /** Negative: more was read than there is. */
  get left(): number {
    return this.#position - this.#start;
  }

  /** At most 25 bits. */
  read(count: number): number {
    this.#position -= count;
    return this.#position < this.#start ? 0 : bitsAt(this.#bytes, this.#position, count);
  }

  /** The next bits without leaving them; zeros if there are fewer. */
  peek(count: number): number {
    const missing = count - this.left;
    if (missing <= 0) return bitsAt(this.#bytes, this.#position - count, count);
    return missing > count ? 0 : bitsAt(this.#bytes, this.#start, count - missing) << missing;
  }

  skip(count: number): void {
    this.#position -= count;
  }
}

const maxFseSymbols = 256;

/** `counts`: cells of each symbol; -1 is a cell at the end of the table. */
export function buildFse(counts: ArrayLike<number>, log: number): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(maxFseSymbols);
  let end = size;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const count = counts[symbol] as number;
    if (count === -1) symbols[--end] = symbol;
    next[symbol] = count === -1 ? 1 : count;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    for (let left = counts[symbol] as number; left > 0; left--) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= end);
    }
  }
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] as number;
    const value = next[symbol] as number;
    next[symbol] = value + 1;
    const count = log - highestBit(value);
    bits[state] = count;
    bases[state] = (value << count) - size;
  }
  return { log, symbols, bits, bases };
}

/** Returns the table, and where its description ends. */
export function readFse(
  { bytes, at, end }: Span,
  { maxLog, maxSymbol }: { readonly maxLog: number; readonly maxSymbol: number },
): [FseTable, number] {
  let position = at * 8;
  const take = (count: number): number => {
    position += count;
    if (position > end * 8) throw new CorruptZstd('a table is incomplete');
    return bitsAt(bytes, position - count, count);
  };
  const log = take(4) + 5;
  if (log > maxLog) throw new CorruptZstd('a table is too large');
  const counts: number[] = [];
  for (let left = 1 << log; left > 0; ) {
    if (counts.length > maxSymbol) throw new CorruptZstd('a table has too many symbols');
    // Values up to `left` + 1. The smallest ones have a bit less.
    const width = highestBit(left + 1);
    const small = (1 << (width + 1)) - 2 - left;
    let value = take(width);
    if (value >= small && take(1) === 1) value += (1 << width) - small;
    const count = value - 1;
    counts.push(count);
    left -= Math.abs(count);
    // More zeros: two bits say how many, and three that two more bits follow.
    for (let zeros = count === 0 ? 3 : 0; zeros === 3 && counts.length <= maxSymbol; ) {
      zeros = take(2);
      counts.push(...[0, 0, 0].slice(0, zeros));
    }
  }
  if (counts.length > maxSymbol + 1) throw new CorruptZstd('a table has too many symbols');
  return [buildFse(counts, log), (position + 7) >> 3];
}

const maxHuffmanLog = 11;
const maxWeights = 255;

/** Returns the table, and where its description ends. */
export function readHuffman({ bytes, at, end }: Span): [HuffmanTable, number] {
  if (at >= end) throw new CorruptZstd('a table is incomplete');
  const header = bytes[at] as number;
  const packed = header >= 128;
  const after = at + 1 + (packed ? (header - 126) >> 1 : header);
  if (after > end) throw new CorruptZstd('a table is incomplete');
  const span = { bytes, at: at + 1, end: after };
  return [buildHuffman(packed ? readPackedWeights(span, header - 127) : readCodedWeights(span)), after];
}

/** Four bits each. */
function readPackedWeights({ bytes, at }: Span, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const pair = bytes[at + (index >> 1)] as number;
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
}

function readCodedWeights(span: Span): number[] {
  const [{ log, symbols, bits, bases }, at] = readFse(span, { maxLog: 6, maxSymbol: maxFseSymbols - 1 });
  const stream = new BackwardBits({ ...span, at });
  const weights: number[] = [];
  // Two states take turns. The one that finds too few bits ends the stream, and the other has one more symbol.
  let state = stream.read(log);
  let other = stream.read(log);
  if (stream.left < 0) throw new CorruptZstd('a table is incomplete');
  for (;;) {
    weights.push(symbols[state] as number);
    if (weights.length >= maxWeights) throw new CorruptZstd('a table has too many symbols');
    const next = (bases[state] as number) + stream.read(bits[state] as number);
    if (stream.left < 0) {
      weights.push(symbols[other] as number);
      return weights;
    }
    state = other;
    other = next;
  }
}

/** The weight of the last symbol is not written: it makes the sum a power of two. */
function buildHuffman(weights: readonly number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) {
    if (weight > maxHuffmanLog) throw new CorruptZstd('a code is too long');
    if (weight > 0) sum += 1 << (weight - 1);
  }
  if (sum === 0) throw new CorruptZstd('a table is empty');
  const log = highestBit(sum) + 1;
  const rest = (1 << log) - sum;
  if (log > maxHuffmanLog || (rest & (rest - 1)) !== 0) throw new CorruptZstd('a table is not complete');
  const all = [...weights, highestBit(rest) + 1];
  const symbols = new Uint8Array(1 << log);
  const lengths = new Uint8Array(1 << log);
  let position = 0;
  for (let weight = 1; weight <= log; weight++) {
    for (let symbol = 0; symbol < all.length; symbol++) {
      if (all[symbol] !== weight) continue;
      const after = position + (1 << (weight - 1));
      symbols.fill(symbol, position, after);
      lengths.fill(log + 1 - weight, position, after);
      position = after;
    }
  }
  return { log, symbols, lengths };
}
