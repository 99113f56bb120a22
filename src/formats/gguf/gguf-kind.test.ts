import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ggufKind } from './gguf-kind.ts';
import { readGgufFile } from './read-gguf.ts';

test.each([
  ['ember-q4_k_m', 'model'],
  ['ember-eyes-mmproj-f16', 'projector'],
  ['ember-ahoy-lora-f16', 'adapter'],
])('%s is a %s', async (name, kind) => {
  const path = fileURLToPath(new URL(`../../../models/${name}.gguf`, import.meta.url));
  expect(ggufKind(await readGgufFile(path, { maxArray: 0 }))).toBe(kind);
});

test.each([
  [{ 'general.architecture': 'clip' }, 'projector'],
  [{ 'general.architecture': 'other', 'general.type': 'mmproj' }, 'projector'],
  [{ 'general.architecture': 'llama', 'general.type': 'adapter' }, 'adapter'],
  [{ 'general.architecture': 'llama', 'general.type': 'model' }, 'model'],
  [{ 'general.type': 7 }, 'model'],
  [{}, 'model'],
])('%o', (entries, kind) => {
  expect(ggufKind({ metadata: new Map(Object.entries(entries)) })).toBe(kind);
});
