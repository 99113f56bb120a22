import { describe, expect, test } from 'vitest';
import { createPortableForm } from './portable-state.ts';

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => void bytes.writeUInt32LE(value, 4 * index));
  return bytes;
};
const magic = 0xaf143cd8;
/** A cache with so many streams, of which one has cells. */
const cache = (streams: number, slot: number, cells: Buffer): Buffer =>
  Buffer.concat([u32(streams), Buffer.alloc(4 * slot), cells, Buffer.alloc(4 * (streams - 1 - slot))]);
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
    const parts = createPortableForm(kind, 4)?.split(bytesOf(4, 2), stateBytes) ?? [];
    expect(parts.length).toBe(partsOf(4, 2).length);
    const prepared = createPortableForm(kind, 2)?.prepare(parts.map(({ length }) => length));
    prepared?.parts.forEach((target, index) => void parts[index]?.copy(target));
    expect(prepared?.snapshot).toEqual(bytesOf(2, 0));
    expect(prepared?.stateBytes).toBe(8 + (partsOf(2, 0).at(-1)?.length ?? 0));
  });

  test('also the state alone', () => {
    const bytesOf = (streams: number, slot: number) => Buffer.concat([u32(magic, slot), cache(streams, slot, window)]);
    const part = createPortableForm('windowed', 8)?.splitState(bytesOf(8, 7)) as Buffer;
    expect(part).toEqual(window);
    const prepared = createPortableForm('windowed', 1)?.prepareState(part.length);
    part.copy(prepared?.parts[0] as Buffer);
    expect(prepared?.snapshot).toEqual(bytesOf(1, 0));
  });
});

test('memory that llama.cpp copies only as a whole has no portable form', () => {
  expect(createPortableForm('mixed', 4)).toBeUndefined();
});

test('anything unexpected has no parts', () => {
  const form = createPortableForm('attention', 2);
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
