import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readGgufFile } from '../read-gguf.ts';
import { toFloats } from './to-floats.ts';

const emberPath = fileURLToPath(new URL('../../../../models/ember-q4_k_m.gguf', import.meta.url));

/** Weights of a trained network have a mean near zero. A wrong nibble or scale shifts it far away. */
test.each(['Q4_K', 'Q6_K', 'F32'])('values of Ember in %s', async (name) => {
  const bytes = readFileSync(emberPath);
  const { tensors } = await readGgufFile(emberPath, { maxArray: 0 });
  const tensor = tensors.find(({ type, shape }) => type.name === name && (name === 'F32' || shape.length === 2));
  expect(tensor).toBeDefined();
  if (tensor === undefined) return;
  const values = toFloats(bytes.subarray(tensor.offset, tensor.offset + tensor.bytes), tensor.type);
  expect(values).toHaveLength(tensor.shape.reduce((product, size) => product * size, 1));
  expect(values.every(Number.isFinite)).toBe(true);
  if (name === 'F32') return;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  expect(Math.abs(mean)).toBeLessThan(spread / 10);
  expect(spread).toBeLessThan(1);
});

const type = (name: string, blockLength: number, blockBytes: number) => ({ number: 0, name, blockLength, blockBytes });

test('Q8_0 and BF16', () => {
  const block = Buffer.alloc(34);
  // 0.5 as F16.
  block.writeUInt16LE(0x3800, 0);
  block.writeInt8(-3, 2);
  block.writeInt8(100, 33);
  const values = toFloats(block, type('Q8_0', 32, 34));
  expect([values[0], values[31], values[5]]).toEqual([-1.5, 50, 0]);
  expect([...toFloats(Buffer.from([0x80, 0x3f, 0x00, 0xc0]), type('BF16', 1, 2))]).toEqual([1, -2]);
});

test('other types are refused', () => {
  expect(() => toFloats(Buffer.alloc(18), type('Q4_0', 32, 18))).toThrow('Q4_0');
});
