// Snapshots in a form that does not depend on the number of parallel requests. llama.cpp writes one entry per stream of
// a cache, and those of other sequences are empty. It accepts a snapshot only with its own number of streams, but
// whichever of them has the cells.
//
//   snapshot = magic:u32 sequence:i32 { part }
//   part     = streams:u32 { 0:u32 } cells { 0:u32 }    of a cache
//            | state                                    of a recurrent model
//
// The portable form has only `cells` and `state`. Some memories have other parts, or more of them: attention with an index, or
// compressed. Their snapshots are stored whole, and fit only contexts with the same number of streams.

import type { MemoryKind } from '../../../llama/memory-kind.ts';

type PartKind = 'cells' | 'state';

interface Form {
  /** For an entire snapshot. */
  readonly whole: readonly PartKind[];
  /** For the state alone, which is at the end of the snapshot. */
  readonly state: readonly PartKind[];
}

/** Absent: the parts of a snapshot cannot be told apart. */
const forms: Readonly<Record<MemoryKind, Form | undefined>> = {
  attention: { whole: ['cells'], state: ['cells'] },
  windowed: { whole: ['cells', 'cells'], state: ['cells'] },
  hybrid: { whole: ['cells', 'state'], state: ['state'] },
  recurrent: { whole: ['state'], state: ['state'] },
  mixed: undefined,
};

/** Snapshots of a sequence without tokens, which show the parts. */
interface EmptySnapshots {
  readonly whole: Buffer;
  readonly state: Buffer;
}

const magic = 0xaf143cd8;
const headBytes = 8;

export interface StoredForm {
  /** The parts of a snapshot, as views of it. Undefined if it is not as expected. */
  split(snapshot: Buffer, stateBytes: number): readonly Buffer[] | undefined;
  splitState(state: Buffer): Buffer | undefined;
  /** An empty snapshot, and views of it that are to be filled with parts of these sizes. */
  prepare(parts: readonly number[]): Prepared | undefined;
  prepareState(bytes: number): Prepared | undefined;
}

interface Prepared {
  readonly snapshot: Buffer;
  readonly parts: readonly Buffer[];
  readonly stateBytes: number;
}

/** Undefined if the snapshots have no portable form. */
export function createPortableForm(kind: MemoryKind, streams: number, empty: EmptySnapshots): StoredForm | undefined {
  const form = forms[kind];
  if (form === undefined || !hasParts(empty, form.whole, streams)) return undefined;
  const around = (part: PartKind): number => (part === 'cells' ? 4 * streams : 0);

  const split = (snapshot: Buffer, kinds: readonly PartKind[], lastBytes: number): Buffer[] | undefined => {
    if (snapshot.length < headBytes || snapshot.readUInt32LE(0) !== magic) return undefined;
    const slot = snapshot.readInt32LE(4);
    const middle = snapshot.length - lastBytes;
    const bounds = kinds.length === 1 ? [headBytes, snapshot.length] : [headBytes, middle, snapshot.length];
    const parts = kinds.map((part, index) => {
      const data = snapshot.subarray(bounds[index], bounds[index + 1]);
      return part === 'state' ? data : cellsIn(data, streams, slot);
    });
    return parts.every((part) => part !== undefined && part.length > 0) ? (parts as Buffer[]) : undefined;
  };

  const prepare = (kinds: readonly PartKind[], sizes: readonly number[]): Prepared | undefined => {
    if (sizes.length !== kinds.length || sizes.some((size) => !Number.isSafeInteger(size) || size <= 0))
      return undefined;
    const lengths = kinds.map((part, index) => around(part) + (sizes[index] as number));
    const snapshot = Buffer.alloc(lengths.reduce((sum, length) => sum + length, headBytes));
    snapshot.writeUInt32LE(magic, 0);
    let offset = headBytes;
    const parts = kinds.map((part, index) => {
      if (part === 'cells') snapshot.writeUInt32LE(streams, offset);
      const start = offset + (part === 'cells' ? 4 : 0);
      offset += lengths[index] as number;
      return snapshot.subarray(start, start + (sizes[index] as number));
    });
    return { snapshot, parts, stateBytes: headBytes + (lengths.at(-1) as number) };
  };

  return {
    split: (snapshot, stateBytes) => split(snapshot, form.whole, stateBytes - headBytes),
    splitState: (state) => split(state, form.state, 0)?.[0],
    prepare: (sizes) => prepare(form.whole, sizes),
    prepareState: (size) => prepare(form.state, [size]),
  };
}

/** Snapshots as llama.cpp writes them. */
export const wholeForm: StoredForm = {
  split: (snapshot) => (snapshot.length > 0 ? [snapshot] : undefined),
  splitState: (state) => (state.length > 0 ? state : undefined),
  prepare: ([bytes = 0, ...others]) => (bytes > 0 && others.length === 0 ? prepareWhole(bytes) : undefined),
  prepareState: prepareWhole,
};

/** The size of the state is needed only to split a snapshot. */
function prepareWhole(bytes: number): Prepared {
  const snapshot = Buffer.alloc(bytes);
  return { snapshot, parts: [snapshot], stateBytes: 0 };
}

/** Whether these are the parts, and no others. A recurrent state begins with the number of its tokens. */
function hasParts({ whole, state }: EmptySnapshots, kinds: readonly PartKind[], streams: number): boolean {
  const cache = Buffer.alloc(4 * (streams + 1));
  cache.writeUInt32LE(streams, 0);
  const last = state.subarray(headBytes);
  const caches = whole.subarray(headBytes, whole.length - last.length);
  const isLast = kinds.at(-1) === 'cells' ? last.equals(cache) : last.length >= 4 && last.readUInt32LE(0) === 0;
  return isLast && caches.equals(kinds.length === 1 ? Buffer.alloc(0) : cache);
}

/** The cells of the only stream that has some. */
function cellsIn(part: Buffer, streams: number, slot: number): Buffer | undefined {
  if (slot < 0 || slot >= streams || part.length < 4 * (streams + 1) || part.readUInt32LE(0) !== streams)
    return undefined;
  const start = 4 + 4 * slot;
  const end = part.length - 4 * (streams - 1 - slot);
  const others = [part.subarray(4, start), part.subarray(end)];
  return others.every((bytes) => bytes.every((byte) => byte === 0)) ? part.subarray(start, end) : undefined;
}
