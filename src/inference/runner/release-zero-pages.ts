// Gives memory that is all zeros back to the system. llama.cpp writes zeros to the whole KV cache when it creates a
// context, so all of it takes memory although most of it is never used. On Linux, a page of private memory that was
// given back reads as zeros and takes memory again at the first write: nothing changes for llama.cpp
// (docs/adr/0031).

import { readFileSync } from 'node:fs';
import koffi from 'koffi';

export interface MemoryRange {
  readonly start: bigint;
  readonly end: bigint;
}

// The buffers of a KV cache are larger, and the ranges that Node allocates meanwhile are not all zeros.
const minRun = 64n * 2n ** 20n;
const block = 4n * 2n ** 20n;
const dontNeed = 4;

/** Runs `allocate`, and gives back long runs of zeros in the memory that it has added. */
export function releasingZeroPages<Result>(allocate: () => Result): Result {
  const before = readRanges();
  const result = allocate();
  const after = readRanges();
  if (before === undefined || after === undefined) return result;
  for (const range of addedRanges(before, after)) for (const run of zeroRuns(range)) release(run);
  return result;
}

/** Undefined if the system does not tell. The memory then stays in use. */
function readRanges(): MemoryRange[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseRanges(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return undefined;
  }
}

// "7f0000000000-7f0060000000 rw-p 00000000 00:00 0": private memory without a file has no name.
const anonymousLine = /^([0-9a-f]{1,16})-([0-9a-f]{1,16}) rw-p 00000000 00:00 0\s*$/;

/** The private writable memory in a list of mappings. */
export function parseRanges(maps: string): MemoryRange[] {
  return maps.split('\n').flatMap((line) => {
    const [, start, end] = anonymousLine.exec(line) ?? [];
    return start === undefined ? [] : [{ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) }];
  });
}

/** The parts of `after` that are not in `before`. Both are in ascending order. */
export function addedRanges(before: readonly MemoryRange[], after: readonly MemoryRange[]): MemoryRange[] {
  return after.flatMap(({ start, end }) => {
    const added: MemoryRange[] = [];
    let from = start;
    for (const known of before) {
      if (known.end <= from || known.start >= end) continue;
      if (known.start > from) added.push({ start: from, end: known.start });
      from = known.end;
    }
    return from < end ? [...added, { start: from, end }] : added;
  });
}

/** Runs of blocks that are all zeros. */
function zeroRuns({ start, end }: MemoryRange): MemoryRange[] {
  if (end - start < minRun) return [];
  const zeros = Buffer.alloc(Number(block));
  const runs: MemoryRange[] = [];
  let from = start;
  for (let address = start; address < end; address += block) {
    const size = Number(end - address < block ? end - address : block);
    if (zeros.compare(Buffer.from(koffi.view(address, size)), 0, size, 0, size) === 0) continue;
    runs.push({ start: from, end: address });
    from = address + block;
  }
  return [...runs, { start: from, end }].filter((run) => run.end - run.start >= minRun);
}

/** A failure has no effect: the memory stays in use. */
function release({ start, end }: MemoryRange): void {
  const madvise = koffi.load(null).func('int madvise(uint64_t, size_t, int)');
  madvise(start, end - start, dontNeed);
}
