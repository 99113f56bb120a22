// The program that searches numbers, in the binary format of WebAssembly. A block has sixteen numbers, which are four vectors.
//
//   (func $maxima (param $address i32) (param $end i32) (param $out i32) (local $partEnd i32) (local $m0 v128) … (local $m3 v128)
//     (block $done
//       (loop $part
//         (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
//         …                                      ;; $m0 … $m3 are negative infinity, $partEnd the end of the part
//         (block $partDone
//           (loop $next
//             (br_if $partDone (i32.ge_u (local.get $address) (local.get $partEnd)))
//             (local.set $m0 (f32x4.pmax (local.get $m0) (v128.load (local.get $address)))) …
//             (local.set $address (i32.add (local.get $address) (i32.const 64)))
//             (br $next)))
//         (v128.store (local.get $out) (local.get $m0)) …
//         (local.set $out (i32.add (local.get $out) (i32.const 64)))
//         (br $part))))
//
//   (func $count (param $address i32) (param $end i32) (param $limit f32) (result i32) (local $limits v128) (local $sum v128)
//     (local.set $limits (f32x4.splat (local.get $limit)))
//     (block $done
//       (loop $next
//         (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
//         (local.set $sum (i32x4.sub (local.get $sum) (f32x4.ge (v128.load (local.get $address)) (local.get $limits)))) …
//         (local.set $address (i32.add (local.get $address) (i32.const 64)))
//         (br $next)))
//     (i32.add (i32x4.extract_lane 0 (local.get $sum)) …))
//
//   (func $collect (param $limit f32) (param $out i32) (param $outEnd i32) (result i32) (local …)
//     …                                          ;; as in $maxima: the parts with a maximum that is not below $limit
//             (if (v128.any_true …)              ;; a block with a number that is not below $limit
//               (then
//                 (i32.store (local.get $out) (i32.shr_u (local.get $address) (i32.const 2)))
//                 (local.set $out …)             ;; 4 more if the first number is not below $limit
//                 …                              ;; the other fifteen numbers
//                 (br_if $done (i32.gt_u (local.get $out) (local.get $outEnd)))))
//     (local.get $out))
//
//   (func $running (param $address i32) (param $end i32) (param $heap i32) (param $out i32) (result i32) (local …)
//     …                                          ;; as in $count
//         (if (v128.any_true …)                  ;; a block with a number above the root of the heap, its smallest one
//           (then
//             (local.set $value (f32.load (local.get $address)))
//             (if (f32.gt (local.get $value) (f32.load (local.get $heap)))
//               (then
//                 (i32.store (local.get $out) (i32.shr_u (local.get $address) (i32.const 2)))
//                 (local.set $out (i32.add (local.get $out) (i32.const 4)))
//                 (local.set $place (local.get $heap))
//                 (block $found
//                   (loop $down
//                     …                          ;; $child is the smaller child of $place, $small its number
//                     (br_if $found (f32.ge (local.get $small) (local.get $value)))
//                     (f32.store (local.get $place) (local.get $small))
//                     (local.set $place (local.get $child))
//                     (br $down)))
//                 (f32.store (local.get $place) (local.get $value))))
//             …                                  ;; the other fifteen numbers
//             (local.set $limits (f32x4.splat (f32.load (local.get $heap))))))
//     (local.get $out))

export interface SimdLayout {
  /** The numbers begin at 0 and end here. The maxima of the parts follow. */
  readonly end: number;
  /** The bytes of a part. The last one may be shorter. */
  readonly partBytes: number;
}

/** Exports `maxima`, `count`, `collect` and `running`, and imports its memory as `hearth.memory`. */
export function simdProgram(layout: SimdLayout): Uint8Array {
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const section = (id: number, ...bytes: readonly number[]): number[] => [id, ...leb(bytes.length), ...bytes];
  const sized = (code: readonly number[]): number[] => [...leb(code.length), ...code];
  const signatures = [
    [type.function, 3, type.i32, type.i32, type.f32, 1, type.i32],
    [type.function, 3, type.i32, type.i32, type.i32, 0],
    [type.function, 3, type.f32, type.i32, type.i32, 1, type.i32],
    [type.function, 4, type.i32, type.i32, type.i32, type.i32, 1, type.i32],
  ];
  const functions = [
    { name: 'maxima', signature: 1, code: maximaCode(layout) },
    { name: 'collect', signature: 2, code: collectCode(layout) },
    { name: 'count', signature: 0, code: countCode() },
    { name: 'running', signature: 3, code: runningCode() },
  ];
  const exported = functions.flatMap((one, index) => [...name(one.name), 0, index]);
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    // Types, the imported memory, functions, exports, code.
    ...section(1, signatures.length, ...signatures.flat()),
    ...section(2, 1, ...name('hearth'), ...name('memory'), 2, 0, 1),
    ...section(3, functions.length, ...functions.map(({ signature }) => signature)),
    ...section(7, functions.length, ...exported),
    ...section(10, functions.length, ...functions.flatMap(({ code }) => sized(code))),
  ]);
}

const type = { i32: 0x7f, f32: 0x7d, v128: 0x7b, empty: 0x40, function: 0x60 } as const;
const get = (index: number): number[] => [0x20, index];
const set = (index: number): number[] => [0x21, index];
const branch = (depth: number): number[] => [0x0c, depth];
const branchIf = (depth: number): number[] => [0x0d, depth];
const block = (...code: readonly number[]): number[] => [0x02, type.empty, ...code, end];
const loop = (...code: readonly number[]): number[] => [0x03, type.empty, ...code, end];
const when = (...code: readonly number[]): number[] => [0x04, type.empty, ...code, end];
const end = 0x0b;
const select = 0x1b;
const constant = (value: number): number[] => [0x41, ...signedLeb(value)];
const i32 = { store: (offset: number) => [0x36, 2, offset], lessThan: 0x49, greaterThan: 0x4b, greaterOrEqual: 0x4f };
const arithmetic = { add: 0x6a, subtract: 0x6b, shiftLeft: 0x74, shiftRight: 0x76 } as const;
const f32 = {
  load: (offset: number) => [0x2a, 2, offset],
  store: (offset: number) => [0x38, 2, offset],
  lessThan: 0x5d,
  greaterThan: 0x5e,
  greaterOrEqual: 0x60,
};
const negativeInfinity = [0x43, 0x00, 0x00, 0x80, 0xff];
const load = (offset: number): number[] => [0xfd, 0x00, 4, offset];
const store = (offset: number): number[] => [0xfd, 0x0b, 4, offset];
const splat = [0xfd, 0x13];
const greaterThan = [0xfd, 0x44];
const greaterOrEqual = [0xfd, 0x46];
const or = [0xfd, 0x50];
const anyTrue = [0xfd, 0x53];
const subtract = [0xfd, 0xb1, 0x01];
const extractLane = (lane: number): number[] => [0xfd, 0x1b, lane];
/** The second one if it is larger than the first one, which NaN is not. */
const larger = [0xfd, 0xeb, 0x01];
/** Unsigned, in LEB128. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
/** A number that is not negative, as a signed one. */
const signedLeb = (value: number): number[] => (value < 64 ? [value] : [(value & 127) | 128, ...signedLeb(value >> 7)]);

const vectors = [0, 1, 2, 3];
const lanes = Array.from({ length: 16 }, (_, lane) => lane);
const blockBytes = 64;

const increase = (index: number, bytes: number): number[] => [
  ...[...get(index), ...constant(bytes), arithmetic.add],
  ...set(index),
];

/** Goes through the blocks up to an address. `code` may leave the loop with a branch of depth 1. */
function eachBlock({ address, end: limit }: { address: number; end: number }, code: readonly number[]): number[] {
  return block(
    ...loop(
      ...[...get(address), ...get(limit), i32.greaterOrEqual, ...branchIf(1)],
      ...code,
      ...increase(address, blockBytes),
      ...branch(0),
    ),
  );
}

/** Whether a comparison is true for any number of the block at an address. */
function anyNumber(address: number, limits: number, comparison: readonly number[]): number[] {
  const compare = (vector: number): number[] => [
    ...[...get(address), ...load(16 * vector), ...get(limits), ...comparison],
    ...(vector === 0 ? [] : or),
  ];
  return [...vectors.flatMap(compare), ...anyTrue];
}

/** Sets the end of the part at an address: the smaller one of the address after the part and of `last`. */
function setPartEnd(address: number, partEnd: number, partBytes: number, last: readonly number[]): number[] {
  const after = [...get(address), ...constant(partBytes), arithmetic.add];
  return [...after, ...last, ...after, ...last, i32.lessThan, select, ...set(partEnd)];
}

function countCode(): number[] {
  const [address, last, limit, limits, sum] = [0, 1, 2, 3, 4] as const;
  // What is true is -1.
  const add = (vector: number): number[] => [
    ...[...get(sum), ...get(address), ...load(16 * vector), ...get(limits), ...greaterOrEqual, ...subtract],
    ...set(sum),
  ];
  const addLane = (lane: number): number[] => [
    ...[...get(sum), ...extractLane(lane)],
    ...(lane === 0 ? [] : [arithmetic.add]),
  ];
  return [
    ...[1, 2, type.v128],
    ...[...get(limit), ...splat, ...set(limits)],
    ...eachBlock({ address, end: last }, vectors.flatMap(add)),
    ...[0, 1, 2, 3].flatMap(addLane),
    end,
  ];
}

function maximaCode({ partBytes }: SimdLayout): number[] {
  const [address, last, out, partEnd, maxima] = [0, 1, 2, 3, 4] as const;
  const update = (vector: number): number[] => [
    ...[...get(maxima + vector), ...get(address), ...load(16 * vector), ...larger],
    ...set(maxima + vector),
  ];
  return [
    ...[2, 1, type.i32, vectors.length, type.v128],
    ...block(
      ...loop(
        ...[...get(address), ...get(last), i32.greaterOrEqual, ...branchIf(1)],
        ...setPartEnd(address, partEnd, partBytes, get(last)),
        ...vectors.flatMap((vector) => [...negativeInfinity, ...splat, ...set(maxima + vector)]),
        ...eachBlock({ address, end: partEnd }, vectors.flatMap(update)),
        ...vectors.flatMap((vector) => [...get(out), ...get(maxima + vector), ...store(16 * vector)]),
        ...increase(out, blockBytes),
        ...branch(0),
      ),
    ),
    end,
  ];
}

function collectCode({ end: last, partBytes }: SimdLayout): number[] {
  const [limit, out, outEnd, address, partEnd, maxima, limits] = [0, 1, 2, 3, 4, 5, 6] as const;
  // Every index is written, and overwritten by the next one if its number does not count.
  const addLane = (lane: number): number[] => [
    ...[...get(out), ...get(address), ...constant(2), arithmetic.shiftRight, ...constant(lane), arithmetic.add],
    ...i32.store(0),
    ...[...get(out), ...get(address), ...f32.load(4 * lane), ...get(limit), f32.greaterOrEqual],
    ...[...constant(2), arithmetic.shiftLeft, arithmetic.add, ...set(out)],
  ];
  const addBlock = when(
    ...lanes.flatMap(addLane),
    // Out of this block, the loop over blocks, the part, and the loop over parts.
    ...[...get(out), ...get(outEnd), i32.greaterThan, ...branchIf(5)],
  );
  return [
    ...[2, 3, type.i32, 1, type.v128],
    ...[...get(limit), ...splat, ...set(limits)],
    ...[...constant(last), ...set(maxima)],
    ...block(
      ...loop(
        ...[...get(address), ...constant(last), i32.greaterOrEqual, ...branchIf(1)],
        ...setPartEnd(address, partEnd, partBytes, constant(last)),
        ...anyNumber(maxima, limits, greaterOrEqual),
        ...when(...eachBlock({ address, end: partEnd }, [...anyNumber(address, limits, greaterOrEqual), ...addBlock])),
        ...[...get(partEnd), ...set(address)],
        ...increase(maxima, blockBytes),
        ...branch(0),
      ),
    ),
    ...[...get(out), end],
  ];
}

function runningCode(): number[] {
  const [address, last, heap, out, place, child, limits, value, small, other] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const setLimits = [...get(heap), ...f32.load(0), ...splat, ...set(limits)];
  // Places after the heap have infinity, so that a place without children ends the loop.
  const findPlace = block(
    ...loop(
      ...[...get(place), ...get(place), arithmetic.add, ...get(heap), arithmetic.subtract, ...constant(4)],
      ...[arithmetic.add, ...set(child)],
      ...[...get(child), ...f32.load(0), ...set(small)],
      ...[...get(child), ...f32.load(4), ...set(other)],
      ...[...get(other), ...get(small), f32.lessThan],
      ...when(...get(other), ...set(small), ...increase(child, 4)),
      ...[...get(small), ...get(value), f32.greaterOrEqual, ...branchIf(1)],
      ...[...get(place), ...get(small), ...f32.store(0)],
      ...[...get(child), ...set(place)],
      ...branch(0),
    ),
  );
  const replaceRoot = [...get(heap), ...set(place), ...findPlace, ...get(place), ...get(value), ...f32.store(0)];
  const addLane = (lane: number): number[] => [
    ...[...get(address), ...f32.load(4 * lane), ...set(value)],
    ...[...get(value), ...get(heap), ...f32.load(0), f32.greaterThan],
    ...when(
      ...[...get(out), ...get(address), ...constant(2), arithmetic.shiftRight, ...constant(lane), arithmetic.add],
      ...i32.store(0),
      ...increase(out, 4),
      ...replaceRoot,
    ),
  ];
  return [
    ...[3, 2, type.i32, 1, type.v128, 3, type.f32],
    ...setLimits,
    ...eachBlock({ address, end: last }, [
      ...anyNumber(address, limits, greaterThan),
      ...when(...lanes.flatMap(addLane), ...setLimits),
    ]),
    ...[...get(out), end],
  ];
}
