// Decodes the compressed blocks of one zstd frame (RFC 8878, section 3.1.1.3). A block becomes at most 128 KiB, which bounds
// its work.

import {
  BackwardBits,
  buildFse,
  CorruptZstd,
  type FseTable,
  type HuffmanTable,
  readFse,
  readHuffman,
  type Span,
} from './entropy-tables.ts';
import type { ZstdHistory } from './zstd-history.ts';

export const maxBlockBytes = 2 ** 17;

/** A kind of symbol in sequences. */
interface SymbolKind {
  readonly maxLog: number;
  readonly maxSymbol: number;
  readonly defaultTable: FseTable;
}

const repeated = (value: number, times: number): number[] => new Array(times).fill(value);

const literalLengths: SymbolKind = {
  maxLog: 9,
  maxSymbol: 35,
  defaultTable: buildFse(
    [4, 3, ...repeated(2, 11), 1, 1, 1, ...repeated(2, 9), 3, 2, ...repeated(1, 5), ...repeated(-1, 4)],
    6,
  ),
};
const matchLengths: SymbolKind = {
  maxLog: 9,
  maxSymbol: 52,
  defaultTable: buildFse([1, 4, 3, ...repeated(2, 6), ...repeated(1, 37), ...repeated(-1, 7)], 6),
};
const offsets: SymbolKind = {
  maxLog: 8,
  maxSymbol: 31,
  defaultTable: buildFse([...repeated(1, 6), 2, 2, 2, ...repeated(1, 15), ...repeated(-1, 5)], 5),
};

const literalBits = [...repeated(0, 16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const matchBits = [...repeated(0, 32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const literalBases = basesOf(literalBits, 0);
const matchBases = basesOf(matchBits, 3);
/** Larger ones point behind every window that is allowed. */
const maxOffsetCode = 27;

function basesOf(bits: readonly number[], first: number): number[] {
  let base = first;
  return bits.map((count) => {
    const value = base;
    base += 2 ** count;
    return value;
  });
}

interface SequenceTables {
  readonly literal: FseTable;
  readonly offset: FseTable;
  readonly match: FseTable;
}

interface CodedLiterals {
  readonly header: number;
  /** Bits of each of its two sizes. */
  readonly width: number;
  readonly format: number;
  readonly type: number;
  readonly maxBytes: number;
}

export class BlockDecoder {
  readonly #history: ZstdHistory;
  readonly #literals = new Uint8Array(maxBlockBytes);
  #huffman: HuffmanTable | undefined;
  #tables: SequenceTables | undefined;
  #recent = [1, 4, 8];

  constructor(history: ZstdHistory) {
    this.#history = history;
  }

  /** The next frame uses no table of the last one. */
  reset(): void {
    this.#huffman = undefined;
    this.#tables = undefined;
    this.#recent = [1, 4, 8];
  }

  /** Appends what the block becomes to the history. */
  decode(span: Span, maxBytes: number): void {
    const { bytes, end } = span;
    const [count, literalsEnd] = this.#readLiterals(span, maxBytes);
    let at = literalsEnd;
    const first = byteAt(span, at++);
    let sequences = first;
    if (first === 255) {
      sequences = byteAt(span, at) + byteAt(span, at + 1) * 256 + 0x7f00;
      at += 2;
    } else if (first > 127) sequences = (first - 128) * 256 + byteAt(span, at++);
    if (sequences > 0) this.#runSequences({ bytes, at, end }, { sequences, count, maxBytes });
    else if (at !== end) throw new CorruptZstd('a block has too many bytes');
    else this.#history.append(this.#literals, 0, count);
  }

  /** Returns how many there are, and where they end. */
  #readLiterals(span: Span, maxBytes: number): [number, number] {
    const first = byteAt(span, span.at);
    const type = first & 3;
    const format = (first >> 2) & 3;
    const headerBytes = type >= 2 ? Math.max(3, format + 2) : ([1, 2, 1, 3][format] as number);
    // The header is little-endian, and has up to five bytes.
    let header = 0;
    for (let index = headerBytes - 1; index >= 0; index--) header = header * 256 + byteAt(span, span.at + index);
    const rest = { ...span, at: span.at + headerBytes };
    return type >= 2
      ? this.#readCoded(rest, { header, width: [10, 10, 14, 18][format] as number, format, type, maxBytes })
      : this.#readPlain(rest, { count: Math.floor(header / (format % 2 === 0 ? 8 : 16)), type, maxBytes });
  }

  /** As they are, or one that is repeated. */
  #readPlain(
    { bytes, at, end }: Span,
    { count, type, maxBytes }: { readonly count: number; readonly type: number; readonly maxBytes: number },
  ): [number, number] {
    const after = at + (type === 0 ? count : 1);
    if (count > maxBytes || after > end) throw new CorruptZstd('a block has too few literals');
    if (type === 0) this.#literals.set(bytes.subarray(at, after));
    else this.#literals.fill(bytes[at] as number, 0, count);
    return [count, after];
  }

  /** With a Huffman table: a new one, or the last one. */
  #readCoded({ bytes, at, end }: Span, { header, width, format, type, maxBytes }: CodedLiterals): [number, number] {
    const count = Math.floor(header / 16) % 2 ** width;
    const after = at + Math.floor(header / 2 ** (4 + width));
    if (count > maxBytes || after > end) throw new CorruptZstd('a block has too few literals');
    let start = at;
    if (type === 2) [this.#huffman, start] = readHuffman({ bytes, at, end: after });
    if (this.#huffman === undefined) throw new CorruptZstd('a block has no table of its literals');
    const span = { bytes, at: start, end: after };
    if (format === 0) decodeHuffman(span, this.#huffman, this.#literals.subarray(0, count));
    else this.#decodeStreams(span, this.#huffman, count);
    return [count, after];
  }

  /** Four streams, after the lengths of three. */
  #decodeStreams(span: Span, table: HuffmanTable, count: number): void {
    const { bytes, end } = span;
    const part = (count + 3) >> 2;
    if (part * 3 > count) throw new CorruptZstd('a block has too few literals for four streams');
    let at = span.at + 6;
    for (let index = 0; index < 4; index++) {
      const lengthAt = span.at + index * 2;
      const after = index === 3 ? end : at + byteAt(span, lengthAt) + byteAt(span, lengthAt + 1) * 256;
      if (after > end) throw new CorruptZstd('a block has too few literals');
      const target = this.#literals.subarray(part * index, index === 3 ? count : part * (index + 1));
      decodeHuffman({ bytes, at, end: after }, table, target);
      at = after;
    }
  }

  #runSequences(
    span: Span,
    { sequences, count, maxBytes }: { readonly sequences: number; readonly count: number; readonly maxBytes: number },
  ): void {
    const [tables, start] = this.#readTables(span);
    this.#tables = tables;
    const { literal, offset, match } = tables;
    const stream = new BackwardBits({ ...span, at: start });
    let literalState = stream.read(literal.log);
    let offsetState = stream.read(offset.log);
    let matchState = stream.read(match.log);
    let used = 0;
    let written = 0;
    for (let left = sequences; left > 0; left--) {
      const offsetCode = offset.symbols[offsetState] as number;
      if (offsetCode > maxOffsetCode) throw new CorruptZstd('an offset is too large');
      const value = 2 ** offsetCode + readLong(stream, offsetCode);
      const matchCode = match.symbols[matchState] as number;
      const matched = (matchBases[matchCode] as number) + stream.read(matchBits[matchCode] as number);
      const literalCode = literal.symbols[literalState] as number;
      const copied = (literalBases[literalCode] as number) + stream.read(literalBits[literalCode] as number);
      if (left > 1) {
        literalState = (literal.bases[literalState] as number) + stream.read(literal.bits[literalState] as number);
        matchState = (match.bases[matchState] as number) + stream.read(match.bits[matchState] as number);
        offsetState = (offset.bases[offsetState] as number) + stream.read(offset.bits[offsetState] as number);
      }
      written += copied + matched;
      if (stream.left < 0 || used + copied > count || written > maxBytes)
        throw new CorruptZstd('a sequence is too long');
      this.#history.append(this.#literals, used, used + copied);
      used += copied;
      this.#history.repeat(this.#distance(value, copied), matched);
    }
    if (stream.left !== 0) throw new CorruptZstd('a block has too many bits');
    if (written + count - used > maxBytes) throw new CorruptZstd('a block becomes too large');
    this.#history.append(this.#literals, used, count);
  }

  /** Small values stand for recent distances. */
  #distance(value: number, literals: number): number {
    const [first = 0, second = 0, third = 0] = this.#recent;
    if (value > 3) {
      this.#recent = [value - 3, first, second];
      return value - 3;
    }
    const index = literals === 0 ? value : value - 1;
    if (index === 0) return first;
    const distance = [0, second, third, first - 1][index] as number;
    this.#recent = [distance, first, index === 1 ? third : second];
    return distance;
  }

  #readTables(span: Span): [SequenceTables, number] {
    const modes = byteAt(span, span.at);
    if ((modes & 3) !== 0) throw new CorruptZstd('a block has a reserved bit');
    let at = span.at + 1;
    const read = (mode: number, kind: SymbolKind, last: FseTable | undefined): FseTable => {
      if (mode === 0) return kind.defaultTable;
      if (mode === 1) {
        const symbol = byteAt(span, at++);
        if (symbol > kind.maxSymbol) throw new CorruptZstd('a table has an unknown symbol');
        return { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) };
      }
      if (mode === 2) {
        const [table, after] = readFse({ ...span, at }, kind);
        at = after;
        return table;
      }
      if (last === undefined) throw new CorruptZstd('a block repeats a table that does not exist');
      return last;
    };
    const literal = read(modes >> 6, literalLengths, this.#tables?.literal);
    const offset = read((modes >> 4) & 3, offsets, this.#tables?.offset);
    const match = read((modes >> 2) & 3, matchLengths, this.#tables?.match);
    return [{ literal, offset, match }, at];
  }
}

function byteAt({ bytes, end }: Span, at: number): number {
  if (at >= end) throw new CorruptZstd('a block is incomplete');
  return bytes[at] as number;
}

function readLong(stream: BackwardBits, count: number): number {
  return count <= 24 ? stream.read(count) : stream.read(count - 16) * 65536 + stream.read(16);
}

function decodeHuffman(span: Span, { log, symbols, lengths }: HuffmanTable, target: Uint8Array): void {
  const stream = new BackwardBits(span);
  for (let index = 0; index < target.length; index++) {
    const code = stream.peek(log);
    target[index] = symbols[code] as number;
    stream.skip(lengths[code] as number);
  }
  if (stream.left !== 0) throw new CorruptZstd('the literals do not end with their bits');
}
