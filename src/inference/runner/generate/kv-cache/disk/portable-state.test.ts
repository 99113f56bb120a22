import { describe, expect, test } from 'vitest';
import { createPortableForm, wholeForm } from './portable-state.ts';

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => void bytes.writeUInt32LE(value, 4 * index));
  return bytes;
};
const magic = 0xaf143cd8;
/** A cache with so many streams, of which one has cells. */
const cache = (streams: number, slot: number, cells: Buffer): Buffer =>
  Buffer.concat([u32(streams), Buffer.alloc(4 * slot), cells, Buffer.alloc(4 * (streams - 1 - slot))]);
/** Snapshots of a sequence without tokens: of these caches before the state, and of the state. */
const emptyOf = (before: readonly Buffer[], state: Buffer) => ({
  whole: Buffer.concat([u32(magic, 0), ...before, state]),
  state: Buffer.concat([u32(magic, 0), state]),
});
const emptyCache = (streams: number): Buffer => cache(streams, 0, u32(0));
const emptyState = u32(0, 0, 2, 7);
const emptyOfKind = {
  attention: (streams: number) => emptyOf([], emptyCache(streams)),
  windowed: (streams: number) => emptyOf([emptyCache(streams)], emptyCache(streams)),
  hybrid: (streams: number) => emptyOf([emptyCache(streams)], emptyState),
  recurrent: () => emptyOf([], emptyState),
} as const;
const formOf = (kind: keyof typeof emptyOfKind, streams: number) =>
  createPortableForm(kind, streams, emptyOfKind[kind](streams));
const cells = Buffer.from('cells of a sequence');
const window = Buffer.from('cells in the window');
const state = Buffer.from('a state');

describe('a snapshot of one context fits another with more or fewer parallel requests', () => {
  const cases = [
    ['attention', (n: number, s: number) => [cache(n, s, cells)], 0],
    ['windowed', (n: number, s: number) => [cache(n, s, cells), cache(n, s, window)], window.length],
    ['hybrid', (n: number, s: number) => [cache(n, s, cells), state], state.length],
    ['recurrent', () => [state], state.length],
  ] as const;

  test.each(cases)('%s', (kind, partsOf) => {
    const bytesOf = (streams: number, slot: number) => Buffer.concat([u32(magic, slot), ...partsOf(streams, slot)]);
    const stateBytes = 8 + (partsOf(4, 2).at(-1)?.length ?? 0);
    const parts = formOf(kind, 4)?.split(bytesOf(4, 2), stateBytes) ?? [];
    expect(parts.length).toBe(partsOf(4, 2).length);
    const prepared = formOf(kind, 2)?.prepare(parts.map(({ length }) => length));
    prepared?.parts.forEach((target, index) => void parts[index]?.copy(target));
    expect(prepared?.snapshot).toEqual(bytesOf(2, 0));
    expect(prepared?.stateBytes).toBe(8 + (partsOf(2, 0).at(-1)?.length ?? 0));
  });

  test('also the state alone', () => {
    const bytesOf = (streams: number, slot: number) => Buffer.concat([u32(magic, slot), cache(streams, slot, window)]);
    const part = formOf('windowed', 8)?.splitState(bytesOf(8, 7)) as Buffer;
    expect(part).toEqual(window);
    const prepared = formOf('windowed', 1)?.prepareState(part.length);
    part.copy(prepared?.parts[0] as Buffer);
    expect(prepared?.snapshot).toEqual(bytesOf(1, 0));
  });
});

describe('snapshots with other parts have no portable form', () => {
  const one = emptyCache(3);
  test.each([
    ['two caches', 'attention', emptyOf([], Buffer.concat([one, one]))],
    ['two caches and a window', 'windowed', emptyOf([one, one], one)],
    ['a header of their own', 'windowed', emptyOf([u32(1, 2, 3), one], Buffer.concat([u32(1, 2, 3), one]))],
    ['a cache after the state', 'hybrid', { ...emptyOf([one, emptyState], one), state: emptyOf([], emptyState).state }],
    ['a window in the state', 'hybrid', emptyOf([one], Buffer.concat([one, emptyState]))],
    ['a cache before the state', 'recurrent', emptyOf([one], emptyState)],
    ['another number of streams', 'attention', emptyOf([], emptyCache(2))],
    ['nothing', 'recurrent', { whole: Buffer.alloc(0), state: Buffer.alloc(0) }],
    ['all copied together', 'mixed', emptyOf([], one)],
  ] as const)('%s', (_, kind, empty) => {
    expect(createPortableForm(kind, 3, empty)).toBeUndefined();
  });

  test('they are stored as they are', () => {
    const snapshot = Buffer.concat([u32(magic, 1), cache(2, 1, cells), cache(2, 1, cells)]);
    expect(wholeForm.split(snapshot, 0)).toEqual([snapshot]);
    expect(wholeForm.splitState(snapshot)).toEqual(snapshot);
    for (const prepared of [wholeForm.prepare([snapshot.length]), wholeForm.prepareState(snapshot.length)]) {
      snapshot.copy(prepared?.parts[0] as Buffer);
      expect(prepared?.snapshot).toEqual(snapshot);
    }
    expect(wholeForm.split(Buffer.alloc(0), 0)).toBeUndefined();
    expect(wholeForm.splitState(Buffer.alloc(0))).toBeUndefined();
    for (const sizes of [[], [0], [5, 5]]) expect(wholeForm.prepare(sizes)).toBeUndefined();
  });
});

test('anything unexpected has no parts', () => {
  const form = formOf('attention', 2);
  const valid = Buffer.concat([u32(magic, 1), cache(2, 1, cells)]);
  expect(form?.split(valid, 0)).toEqual([cells]);
  const changed = (offset: number) => {
    const copy = Buffer.from(valid);
    copy.writeUInt32LE(77, offset);
    return copy;
  };
  // The magic number, the sequence, the number of streams, an empty stream.
  for (const offset of [0, 4, 8, 12]) expect(form?.split(changed(offset), 0)).toBeUndefined();
  for (const length of [0, 4, 8, 15]) expect(form?.split(valid.subarray(0, length), 0)).toBeUndefined();
  expect(form?.prepare([])).toBeUndefined();
  expect(form?.prepare([0])).toBeUndefined();
});
