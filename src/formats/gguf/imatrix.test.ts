import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type TensorSource, writeGguf } from '../../../test/support/models/write-gguf.ts';
import { checkImatrix, readImatrix } from './imatrix.ts';
import { readGgufFile } from './read-gguf.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-imatrix-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'imatrix.gguf');

const tensor = (name: string, shape: readonly number[], ...values: number[]): TensorSource => ({
  name,
  shape,
  type: values.length > 0 ? 'F32' : 'F16',
  fill(buffer) {
    for (const [index, value] of values.entries()) buffer.writeFloatLE(value, 4 * index);
  },
});
const pair = (name = 'a.weight'): TensorSource[] => [
  tensor(`${name}.in_sum2`, [2, 2], 2, 4, 9, 9),
  tensor(`${name}.counts`, [1, 2], 2, 0),
];
const write = (tensors: readonly TensorSource[], type = 'imatrix'): void =>
  writeGguf(path, { 'general.type': { type: 'string', value: type } }, tensors);

test('values are means of squares; an expert that no token reached is as important as any other', async () => {
  write(pair());
  expect(await readImatrix(path)).toEqual([{ name: 'a.weight', values: Float32Array.of(1, 2, 1, 1) }]);
});

test.each<[string, readonly TensorSource[], RegExp]>([
  ['no counts', pair().slice(0, 1), /no counts for a\.weight/],
  ['other counts', [tensor('a.in_sum2', [2], 1, 2), tensor('a.counts', [3], 1, 1, 1)], /counts for a do not match/],
  ['values of 16 bits', [tensor('a.in_sum2', [4]), tensor('a.counts', [1], 1)], /not F32/],
  ['no number', [tensor('a.in_sum2', [1], Number.NaN), tensor('a.counts', [1], 1)], /not a positive number/],
  ['an infinite number', [tensor('a.in_sum2', [1], 1e38), tensor('a.counts', [1], 1e-38)], /not a positive number/],
  ['a negative number', [tensor('a.in_sum2', [1], -1), tensor('a.counts', [1], 1)], /not a positive number/],
])('%s is refused', async (_, tensors, message) => {
  write(tensors);
  await expect(readImatrix(path)).rejects.toThrow(message);
});

test('a model is no importance matrix', async () => {
  write(pair(), 'model');
  await expect(readImatrix(path)).rejects.toThrow(/of another kind/);
});

test('a file for another model is refused: by the names of tensors, and by their sizes', async () => {
  const model = async (...tensors: TensorSource[]) => {
    write(tensors, 'model');
    return readGgufFile(path);
  };
  const same = await model(tensor('a.weight', [2, 5, 2]));
  const wider = await model(tensor('a.weight', [4, 5, 2]));
  const other = await model(tensor('b.weight', [2, 5, 2]));
  write(pair());
  const file = await readGgufFile(path);
  expect(() => checkImatrix(file, same)).not.toThrow();
  expect(() => checkImatrix(file, wider)).toThrow(/it has 4 values for a\.weight, not 8/);
  expect(() => checkImatrix(file, other)).toThrow(/none of its tensors/);
});
