import { expect, test } from 'vitest';
import { encodeEntry, type GgufEntry } from './encode-entry.ts';
import { readGguf } from './read-gguf.ts';
import { writeGgufHeader } from './write-gguf-header.ts';

test('every type of entry is read as it was written', async () => {
  const entries: Readonly<Record<string, GgufEntry>> = {
    u32: { type: 'u32', value: 4_000_000_000 },
    i32: { type: 'i32', value: -7 },
    f32: { type: 'f32', value: 0.5 },
    bool: { type: 'bool', value: true },
    string: { type: 'string', value: 'grüße' },
    strings: { type: 'strings', value: ['', 'a', 'ñ', '🦙'] },
    u8s: { type: 'u8s', value: [0, 255] },
    i32s: { type: 'i32s', value: [-1, 1] },
    f32s: { type: 'f32s', value: [1.5, -2] },
  };
  const encoded = Object.entries(entries).map(([key, entry]) => encodeEntry(key, entry));
  const header = writeGgufHeader({ version: 3, alignment: 32, entries: encoded, tensors: [] });
  const { metadata } = await readGguf({ size: header.length, readHead: async (length) => header.subarray(0, length) });
  expect(Object.fromEntries(metadata)).toEqual(
    Object.fromEntries(Object.entries(entries).map(([key, { value }]) => [key, value])),
  );
});
