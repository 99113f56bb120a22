import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { limits } from './limits.ts';
import { readGguf, readGgufFile } from './read-gguf.ts';

const emberPath = fileURLToPath(new URL('../../../models/ember-q8_0.gguf', import.meta.url));
const ember = readFileSync(emberPath);
// Tensor data begins behind the header; 400 KB hold all of Ember's.
const headerOfEmber = 400_000;

function read(bytes: Buffer) {
  const readBeginning = async (length: number) => bytes.subarray(0, length);
  return readGguf({ size: bytes.length, readBeginning }, { maxArray: 100 });
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const file = (...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from('GGUF'), u32(3), ...parts]);

describe('a real model', () => {
  test('its metadata and tensors are read', async () => {
    const { version, metadata, tensors } = await readGgufFile(emberPath);
    expect(version).toBe(3);
    expect(metadata.get('general.architecture')).toBe('llama');
    expect(metadata.get('llama.context_length')).toBe(2048);
    expect(metadata.get('llama.rope.freq_base')).toBe(10000);
    expect(metadata.get('tokenizer.ggml.add_bos_token')).toBe(false);
    expect(metadata.get('tokenizer.ggml.tokens')).toHaveLength(8192);
    expect(tensors).toHaveLength(74);
    const last = tensors.reduce((a, b) => (a.offset > b.offset ? a : b));
    expect(last.offset + last.bytes).toBeLessThanOrEqual(ember.length);
  });

  test('long arrays can be left out', async () => {
    const { metadata } = await readGgufFile(emberPath, { maxArray: 10 });
    expect(metadata.get('tokenizer.ggml.tokens')).toEqual([]);
    expect(metadata.get('general.name')).toBe('Ember');
  });

  test('cut short anywhere, it is refused', async () => {
    for (const length of [0, 3, 4, 8, 20, 24, 100, 5000, 200_000, headerOfEmber, ember.length - 1]) {
      await expect(read(ember.subarray(0, length)), `${length} bytes`).rejects.toThrow('not a usable GGUF file');
    }
  });
});

describe('claims that cannot be true', () => {
  test.each([
    ['another magic', Buffer.from('GGML\u0003\0\0\0'), 'begins with "GGML"'],
    ['an unknown version', Buffer.concat([Buffer.from('GGUF'), u32(99)]), 'version 99'],
    ['the other byte order', Buffer.concat([Buffer.from('GGUF'), Buffer.from([0, 0, 0, 3])]), 'big-endian'],
    ['too many tensors', file(u64(2n ** 40n), u64(0)), 'tensors'],
    ['too many entries', file(u64(0), u64(2n ** 40n)), 'metadata entries'],
    ['a count beyond all numbers', file(u64(2n ** 63n), u64(0)), 'count or size'],
    ['a key without end', file(u64(0), u64(1), u64(2n ** 33n)), 'metadata key claims'],
    ['a string without end', file(u64(0), u64(1), text('k'), u32(8), u64(2n ** 33n)), 'k claims a string'],
    ['an array without end', file(u64(0), u64(1), text('k'), u32(9), u32(4), u64(2n ** 33n)), 'k claims'],
    ['an array of arrays', file(u64(0), u64(1), text('k'), u32(9), u32(9), u64(1)), 'type 9'],
    ['an unknown value type', file(u64(0), u64(1), text('k'), u32(77)), 'type 77'],
    [
      'a key twice',
      file(u64(0), u64(2), text('k'), u32(7), Buffer.from([1]), text('k'), u32(7), Buffer.from([1])),
      'occurs twice',
    ],
    [
      'a key in broken characters',
      file(u64(0), u64(1), u64(2), Buffer.from([0x6b, 0xff]), u32(7), Buffer.from([1])),
      'a metadata key is not UTF-8',
    ],
    [
      'a tensor name in broken characters',
      file(u64(1), u64(0), u64(1), Buffer.from([0x80]), u32(0), u32(0), u64(0)),
      'a tensor name is not UTF-8',
    ],
    [
      'an alignment in words',
      file(u64(0), u64(1), text('general.alignment'), u32(8), text('x'.repeat(1000))),
      'general.alignment is not a number',
    ],
    ['a key for pages', file(u64(0), u64(1), text('k'.repeat(1000)), u32(77)), `: ${'k'.repeat(80)}… is of type 77`],
    [
      'an alignment that is none',
      file(u64(0), u64(1), text('general.alignment'), u32(4), u32(3)),
      'general.alignment is 3',
    ],
    ['five dimensions', file(u64(1), u64(0), text('t'), u32(5)), '5 dimensions'],
    ['an unknown tensor type', file(u64(1), u64(0), text('t'), u32(1), u64(1), u32(4), u64(0)), 'type 4'],
    ['a row that its blocks do not fill', file(u64(1), u64(0), text('t'), u32(1), u64(33), u32(8), u64(0)), '33'],
    [
      'more elements than numbers can count',
      file(u64(1), u64(0), text('t'), u32(2), u64(2n ** 40n), u64(2n ** 40n), u32(0), u64(0)),
      'shape',
    ],
    [
      'data behind the end',
      file(u64(1), u64(0), text('t'), u32(1), u64(1000), u32(0), u64(0)),
      'it is cut short: tensor t',
    ],
    ['data off its alignment', file(u64(1), u64(0), text('t'), u32(1), u64(0), u32(0), u64(1)), 'not aligned'],
  ])('%s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  test('a header may not be read for ever, however large the file is', async () => {
    const start = file(u64(0), u64(limits.metadataEntries), text('k'), u32(9), u32(8), u64(limits.arrayEntries));
    const endless = {
      size: Number.MAX_SAFE_INTEGER,
      readBeginning: async (length: number) => Buffer.concat([start], length),
    };
    await expect(readGguf(endless, { maxArray: 0 })).rejects.toThrow(HearthError);
  });

  test('arrays may not have more entries together than memory can bear', async () => {
    const { arrayEntries, allArrayEntries } = limits;
    const arrays = Array.from({ length: allArrayEntries / arrayEntries + 1 }, (_, index) => [
      ...[text(`k${index}`), u32(9), u32(0), u64(arrayEntries)],
      Buffer.alloc(arrayEntries),
    ]);
    const bytes = file(u64(0), u64(arrays.length), ...arrays.flat());
    await expect(read(bytes)).rejects.toThrow(`more than ${allArrayEntries} entries together`);
  });

  test('no more is asked of a file than a header may take', async () => {
    const entry = (index: number) => [text(`k${index}`), u32(8), u64(limits.stringBytes)];
    const asked: number[] = [];
    const size = 2 * limits.headerBytes;
    const bytes = Buffer.alloc(limits.headerBytes);
    let end = file(u64(0), u64(100)).copy(bytes);
    for (let index = 0; end < limits.headerBytes; index++) {
      end += Buffer.concat(entry(index)).copy(bytes, end) + limits.stringBytes;
    }
    const readBeginning = async (length: number) => {
      asked.push(length);
      return bytes.subarray(0, length);
    };
    await expect(readGguf({ size, readBeginning })).rejects.toThrow('header takes more than');
    expect(Math.max(...asked)).toBe(limits.headerBytes);
  });
});
