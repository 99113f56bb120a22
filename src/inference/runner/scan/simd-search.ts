// Searches numbers for the largest ones, sixteen at a time: functions in WebAssembly, because JavaScript has no instructions
// for vectors. They take a third of the time of a loop in JavaScript, with the copy into their memory.

import { simdProgram } from './simd-program.ts';

// The types of @types/node do not have it.
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

const simdModule = new WebAssembly.Module(Buffer.from(simdProgram, 'base64'));
/** The numbers of a block. */
const blockLength = 16;
const blockBytes = blockLength * Float32Array.BYTES_PER_ELEMENT;
const pageBytes = 2 ** 16;
// The numbers are divided into parts, and each part into a group for each place in a block. Most parts have none of the
// largest numbers, and are not searched. More groups than numbers that are wanted make it likely that each has one.
const minParts = 32;
const maxParts = 128;
const usualPartBlocks = 64;
// The numbers of this many parts are in the first cache of the processor when their maxima are found.
const partsPerCopy = 8;

interface SimdSearchLimits {
  /** The most that `collect` collects. */
  readonly maxAbove: number;
  /** For `collectRunning`. */
  readonly maxK: number;
}

export function createSimdSearch(length: number, { maxAbove, maxK }: SimdSearchLimits) {
  const blocks = Math.ceil(length / blockLength);
  const partBlocks = Math.max(Math.ceil(blocks / maxParts), Math.min(usualPartBlocks, Math.floor(blocks / minParts)));
  const parts = Math.ceil(blocks / partBlocks);
  const end = blocks * blockBytes;
  const heapStart = end + parts * blockBytes;
  // The places after the heap have infinity: each of its numbers has two children.
  const heapLength = 2 * maxK + 2;
  const outStart = heapStart + heapLength * Float32Array.BYTES_PER_ELEMENT;
  const aboveEnd = outStart + maxAbove * Int32Array.BYTES_PER_ELEMENT;
  const outLength = Math.max(length, maxAbove);
  // The indices of a block are written before it is known whether they count.
  const size = outStart + outLength * Int32Array.BYTES_PER_ELEMENT + 2 * blockBytes;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / pageBytes) });
  const layout = { memory, end, partBytes: partBlocks * blockBytes };
  const { exports } = new WebAssembly.Instance(simdModule, { hearth: layout });
  const findLargest = exports['maxima'] as (address: number, end: number, out: number) => void;
  const count = exports['count'] as (address: number, end: number, limit: number) => number;
  const collectFrom = exports['collect'] as (limit: number, out: number, outEnd: number) => number;
  const running = exports['running'] as (address: number, end: number, heap: number, out: number) => number;
  const numbers = new Float32Array(memory.buffer, 0, end / Float32Array.BYTES_PER_ELEMENT);
  const heap = new Float32Array(memory.buffer, heapStart, heapLength);
  const collected = new Int32Array(memory.buffer, outStart, outLength);
  const countUpTo = (outEnd: number): number => (outEnd - outStart) / Int32Array.BYTES_PER_ELEMENT;
  const copyLength = partsPerCopy * partBlocks * blockLength;
  numbers.fill(Number.NEGATIVE_INFINITY);
  return {
    /** What is searched. A copy: WebAssembly has no access to other memory. Padded with negative infinity. */
    numbers,
    /** The indices that were collected last, in ascending order. */
    collected,
    /** Copies the numbers, and finds the largest one of each of up to 2,048 groups. */
    copyWithMaxima(values: Float32Array): void {
      for (let start = 0, out = end; start < length; start += copyLength, out += partsPerCopy * blockBytes) {
        numbers.set(values.subarray(start, start + copyLength), start);
        findLargest(4 * start, Math.min(4 * (start + copyLength), end), out);
      }
    },
    /** How many of these largest numbers are not below the limit. */
    countMaxima: (limit: number): number => count(end, heapStart, limit),
    /**
     * Collects the numbers that are not below the limit, after `copyWithMaxima`. Returns how many there are, or more than
     * `maxAbove`.
     */
    collect: (limit: number): number => countUpTo(collectFrom(limit, outStart, aboveEnd)),
    /**
     * Collects the first `k` numbers, and those that are larger than the k-th largest one before them. Returns how many there
     * are. Overwrites the first numbers.
     */
    collectRunning(k: number): number {
      const first = Math.min(k, length);
      heap.fill(Number.POSITIVE_INFINITY);
      heap.set(numbers.subarray(0, first));
      heap.subarray(0, first).sort();
      for (let index = 0; index < first; index++) collected[index] = index;
      // They are not found again in the block that they share with the next ones.
      numbers.fill(Number.NEGATIVE_INFINITY, 0, first);
      const start = blockBytes * Math.floor(first / blockLength);
      return countUpTo(running(start, end, heapStart, outStart + first * Int32Array.BYTES_PER_ELEMENT));
    },
  };
}
