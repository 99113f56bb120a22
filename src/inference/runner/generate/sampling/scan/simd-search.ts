// Searches numbers for those above a limit, and for the largest ones, sixteen at a time: functions in WebAssembly, because
// JavaScript has no instructions for vectors. They take a third of the time of a loop in JavaScript, with the copy into
// their memory.
//
//   (func $search (param $address i32) (param $end i32) (param $limit f32) (result i32) (local $limits v128)
//     (local.set $limits (f32x4.splat (local.get $limit)))
//     (block $done
//       (loop $next
//         (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
//         (br_if $done (v128.any_true …))        ;; any of the sixteen numbers at $address is greater
//         (local.set $address (i32.add (local.get $address) (i32.const 64)))
//         (br $next)))
//     (local.get $address))
//
//   (func $maxima (param $address i32) (param $end i32) (param $out i32) (local $m0 v128) … (local $m3 v128)
//     …                                          ;; $m0 … $m3 are negative infinity
//     (block $done
//       (loop $next
//         (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
//         (local.set $m0 (f32x4.pmax (local.get $m0) (v128.load (local.get $address)))) …
//         (local.set $address (i32.add (local.get $address) (i32.const 64)))
//         (br $next)))
//     (v128.store (local.get $out) (local.get $m0)) …)

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
/** The numbers are divided into this many parts, and each part into a group for each place in a block. */
const parts = 32;

export interface SimdSearch {
  /** What is searched. A copy: WebAssembly has no access to other memory. Padded with negative infinity. */
  readonly numbers: Float32Array;
  /** The index of the first block, from an index on, with a number above the limit; the end if there is none. */
  find(from: number, limit: number): number;
  /** The largest number of each of 512 groups. Valid until the next call. */
  findMaxima(): Float32Array;
}

export function createSimdSearch(length: number): SimdSearch {
  const blocks = Math.ceil(length / blockLength);
  const end = blocks * blockBytes;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((end + parts * blockBytes) / pageBytes) });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(program()), { hearth: { memory } });
  const search = exports['search'] as (address: number, end: number, limit: number) => number;
  const findLargest = exports['maxima'] as (address: number, end: number, out: number) => void;
  const numbers = new Float32Array(memory.buffer, 0, end / Float32Array.BYTES_PER_ELEMENT);
  const maxima = new Float32Array(memory.buffer, end, parts * blockLength);
  const partBytes = Math.ceil(blocks / parts) * blockBytes;
  numbers.fill(Number.NEGATIVE_INFINITY);
  return {
    numbers,
    find: (from, limit) => search(from * 4, end, limit) / 4,
    findMaxima() {
      for (let part = 0; part < parts; part++) {
        const start = part * partBytes;
        findLargest(start, Math.min(start + partBytes, end), end + part * blockBytes);
      }
      return maxima;
    },
  };
}

const type = { i32: 0x7f, f32: 0x7d, v128: 0x7b, empty: 0x40, function: 0x60 } as const;
const local = { address: 0, end: 1, limit: 2, limits: 3, out: 2, maxima: 3 } as const;
const get = (index: number): number[] => [0x20, index];
const set = (index: number): number[] => [0x21, index];
const branch = (depth: number): number[] => [0x0c, depth];
const branchIf = (depth: number): number[] => [0x0d, depth];
const block = (...code: readonly number[]): number[] => [0x02, type.empty, ...code, 0x0b];
const loop = (...code: readonly number[]): number[] => [0x03, type.empty, ...code, 0x0b];
const greaterOrEqual = 0x4f;
const add = 0x6a;
const constant = (signedLeb: readonly number[]): number[] => [0x41, ...signedLeb];
const negativeInfinity = [0x43, 0x00, 0x00, 0x80, 0xff];
const load = (offset: number): number[] => [0xfd, 0x00, 4, offset];
const store = (offset: number): number[] => [0xfd, 0x0b, 4, offset];
const splat = [0xfd, 0x13];
const greaterThan = [0xfd, 0x44];
const or = [0xfd, 0x50];
const anyTrue = [0xfd, 0x53];
/** The second one if it is larger than the first one, which NaN is not. */
const larger = [0xfd, 0xeb, 0x01];
/** Unsigned, in LEB128. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);

/** The four vectors of a block. */
const vectors = [0, 1, 2, 3];

/** Goes through the blocks. `code` may leave the loop with a branch of depth 1. */
function eachBlock(code: readonly number[]): number[] {
  return block(
    ...loop(
      ...[...get(local.address), ...get(local.end), greaterOrEqual, ...branchIf(1)],
      ...code,
      // 64 in signed LEB128.
      ...[...get(local.address), ...constant([0xc0, 0x00]), add, ...set(local.address)],
      ...branch(0),
    ),
  );
}

function searchCode(): number[] {
  const isAbove = (vector: number): number[] => [
    ...[...get(local.address), ...load(16 * vector), ...get(local.limits), ...greaterThan],
    ...(vector === 0 ? [] : or),
  ];
  return [
    ...[1, 1, type.v128],
    ...[...get(local.limit), ...splat, ...set(local.limits)],
    ...eachBlock([...vectors.flatMap(isAbove), ...anyTrue, ...branchIf(1)]),
    ...[...get(local.address), 0x0b],
  ];
}

function maximaCode(): number[] {
  const update = (vector: number): number[] => [
    ...[...get(local.maxima + vector), ...get(local.address), ...load(16 * vector), ...larger],
    ...set(local.maxima + vector),
  ];
  return [
    ...[1, vectors.length, type.v128],
    ...vectors.flatMap((vector) => [...negativeInfinity, ...splat, ...set(local.maxima + vector)]),
    ...eachBlock(vectors.flatMap(update)),
    ...vectors.flatMap((vector) => [...get(local.out), ...get(local.maxima + vector), ...store(16 * vector)]),
    0x0b,
  ];
}

function program(): Uint8Array {
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const section = (id: number, ...bytes: readonly number[]): number[] => [id, ...leb(bytes.length), ...bytes];
  const sized = (code: readonly number[]): number[] => [...leb(code.length), ...code];
  const { i32, f32 } = type;
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    // Types, the imported memory, functions, exports, code.
    ...section(1, 2, ...[type.function, 3, i32, i32, f32, 1, i32], ...[type.function, 3, i32, i32, i32, 0]),
    ...section(2, 1, ...name('hearth'), ...name('memory'), 2, 0, 1),
    ...section(3, 2, 0, 1),
    ...section(7, 2, ...name('search'), 0, 0, ...name('maxima'), 0, 1),
    ...section(10, 2, ...sized(searchCode()), ...sized(maximaCode())),
  ]);
}
