import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { readSafetensors, type SafetensorsTensor, safetensorsLimits } from './read-safetensors.ts';

const read = (bytes: Buffer): Promise<SafetensorsTensor[]> =>
  readSafetensors({ size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) });

function fileOf(header: unknown, dataBytes: number): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.alloc(dataBytes)]);
}

const tensor = (range: readonly number[], shape: readonly number[] = [2], dtype = 'F16') => ({
  dtype,
  shape,
  data_offsets: range,
});

test('tensors are returned in the order of their data, with offsets from the start of the file', async () => {
  const file = fileOf({ b: tensor([4, 8]), __metadata__: { format: 'pt' }, a: tensor([0, 4], [1, 2]) }, 8);
  const start = file.length - 8;
  expect(await read(file)).toEqual([
    { name: 'a', type: 'F16', shape: [1, 2], offset: start, bytes: 4 },
    { name: 'b', type: 'F16', shape: [2], offset: start + 4, bytes: 4 },
  ]);
});

test('a scalar and an empty tensor are valid', async () => {
  const file = fileOf({ scalar: tensor([0, 4], [], 'F32'), empty: tensor([4, 4], [0, 8]) }, 4);
  expect((await read(file)).map(({ bytes }) => bytes)).toEqual([4, 0]);
});

describe('rejects', () => {
  const truncated = fileOf({ a: tensor([0, 4]) }, 3);
  const cases: Readonly<Record<string, [Buffer, string]>> = {
    'an empty file': [Buffer.alloc(0), 'it has 0 bytes'],
    'a header that ends after the file': [fileOf({}, 0).subarray(0, 9), 'inside its header'],
    'a header above the limit': [lengthOnly(safetensorsLimits.headerBytes + 1), 'the limit is'],
    'a length of 2^64 - 1': [Buffer.alloc(8, 0xff), 'the limit is'],
    'a header that is not JSON': [fileOf('{"a"', 0), 'not JSON'],
    'a header that is not UTF-8': [invalidUtf8(), 'not UTF-8'],
    'a list as header': [fileOf('[]', 0), 'not a JSON object'],
    'an unknown type': [fileOf({ a: tensor([0, 4], [2], 'Q4') }, 4), 'unknown type'],
    'a type from the prototype': [fileOf({ a: tensor([0, 4], [2], 'toString') }, 4), 'unknown type'],
    'a negative size': [fileOf({ a: tensor([0, 4], [-2]) }, 4), 'invalid shape'],
    'too many dimensions': [fileOf({ a: tensor([0, 2], new Array(9).fill(1)) }, 2), 'invalid shape'],
    'a range that does not match the shape': [fileOf({ a: tensor([0, 6]) }, 6), 'its shape needs 4'],
    'a range with three numbers': [fileOf({ a: tensor([0, 4, 8]) }, 4), 'invalid range'],
    'overlapping tensors': [fileOf({ a: tensor([0, 4]), b: tensor([2, 6]) }, 6), 'does not follow'],
    'the same data twice': [fileOf({ a: tensor([0, 4]), b: tensor([0, 4]) }, 4), 'does not follow'],
    'a hole': [fileOf({ a: tensor([0, 4]), b: tensor([6, 10]) }, 10), 'does not follow'],
    'data without a tensor': [fileOf({ a: tensor([0, 4]) }, 5), 'but the file has'],
    'a truncated file': [truncated, 'but the file has'],
    'a name above the limit': [fileOf({ ['a'.repeat(2000)]: tensor([0, 4]) }, 4), 'too long'],
  };
  test.each(Object.entries(cases))('%s', async (_, [file, message]) => {
    await expect(read(file)).rejects.toThrow(message);
  });
});

function lengthOnly(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(length));
  return bytes;
}

function invalidUtf8(): Buffer {
  const file = fileOf('{"x":1}', 0);
  file[10] = 0xff;
  return file;
}

test('changed bytes give an error or tensors inside the file', async () => {
  const valid = fileOf({ a: tensor([0, 4]), b: tensor([4, 12], [2, 2]) }, 12);
  const change = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(change, fc.nat(valid.length), async (changes, length) => {
      const bytes = Buffer.from(valid.subarray(0, length));
      for (const [index, value] of changes) if (index < bytes.length) bytes[index] = value;
      const result = await read(bytes).catch((error: unknown) => error);
      if (result instanceof Error) expect(result).toBeInstanceOf(HearthError);
      else
        for (const { offset, bytes: size } of result as SafetensorsTensor[])
          expect(offset + size).toBeLessThanOrEqual(bytes.length);
    }),
  );
});
