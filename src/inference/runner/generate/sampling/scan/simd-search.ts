// Searches numbers for those above a limit, and for the largest ones, sixteen at a time: functions in WebAssembly, because
// JavaScript has no instructions for vectors. They take a third of the time of a loop in JavaScript, with the copy into
// their memory.

import { simdProgram } from './simd-program.ts';

// The types of @types/node do not have it.
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** The numbers of a block. A search returns a multiple of it. */
export const blockLength = 16;
const blockBytes = blockLength * Float32Array.BYTES_PER_ELEMENT;
const pageBytes = 2 ** 16;
// The numbers are divided into parts, and each part into a group for each place in a block. Most parts have none of the
// largest numbers, and are not searched. More groups than numbers that are wanted make it likely that each has one.
const minParts = 32;
const maxParts = 128;
const usualPartBlocks = 64;
// The numbers of this many parts are in the first cache of the processor when their maxima are found.
const partsPerCopy = 8;

export interface SimdSearch {
  /** What is searched. A copy: WebAssembly has no access to other memory. Padded with negative infinity. */
  readonly numbers: Float32Array;
  /** The index of the first block, from an index on, with a number above the limit; the end if there is none. */
  find(from: number, limit: number): number;
  /** Copies the numbers, and finds the largest one of each of up to 2,048 groups. */
  copyWithMaxima(values: Float32Array): void;
  /** How many of these largest numbers are not below the limit. */
  countMaxima(limit: number): number;
  /** The indices that were collected last, in ascending order. */
  readonly collected: Int32Array;
  /** Collects the numbers that are not below the limit, after `copyWithMaxima`. Returns how many there are, or more than fit. */
  collect(limit: number): number;
}

/** At most `maxCollected` numbers are collected. */
export function createSimdSearch(length: number, maxCollected: number): SimdSearch {
  const blocks = Math.ceil(length / blockLength);
  const partBlocks = Math.max(Math.ceil(blocks / maxParts), Math.min(usualPartBlocks, Math.floor(blocks / minParts)));
  const parts = Math.ceil(blocks / partBlocks);
  const end = blocks * blockBytes;
  const outStart = end + parts * blockBytes;
  const outEnd = outStart + maxCollected * Int32Array.BYTES_PER_ELEMENT;
  // The indices of a block are written before it is known whether they count.
  const memory = new WebAssembly.Memory({ initial: Math.ceil((outEnd + 2 * blockBytes) / pageBytes) });
  const layout = { end, partBytes: partBlocks * blockBytes };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(simdProgram(layout)), { hearth: { memory } });
  const search = exports['search'] as (address: number, end: number, limit: number) => number;
  const findLargest = exports['maxima'] as (address: number, end: number, out: number) => void;
  const count = exports['count'] as (address: number, end: number, limit: number) => number;
  const collectFrom = exports['collect'] as (limit: number, out: number, outEnd: number) => number;
  const numbers = new Float32Array(memory.buffer, 0, end / Float32Array.BYTES_PER_ELEMENT);
  const copyLength = partsPerCopy * partBlocks * blockLength;
  numbers.fill(Number.NEGATIVE_INFINITY);
  return {
    numbers,
    collected: new Int32Array(memory.buffer, outStart, maxCollected),
    find: (from, limit) => search(from * 4, end, limit) / 4,
    copyWithMaxima(values) {
      for (let start = 0, out = end; start < length; start += copyLength, out += partsPerCopy * blockBytes) {
        numbers.set(values.subarray(start, start + copyLength), start);
        findLargest(4 * start, Math.min(4 * (start + copyLength), end), out);
      }
    },
    countMaxima: (limit) => count(end, outStart, limit),
    collect: (limit) => (collectFrom(limit, outStart, outEnd) - outStart) / Int32Array.BYTES_PER_ELEMENT,
  };
}
