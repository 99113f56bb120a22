import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import { ggufLimits } from './limits.ts';
import { readGguf, readGgufFile } from './read-gguf.ts';

const emberPath = fileURLToPath(new URL('../../../models/ember-q4_k_m.gguf', import.meta.url));
const ember = readFileSync(emberPath);
// The header of Ember fits into 400 KB.
const headerOfEmber = 400_000;

function read(bytes: Buffer) {
  const readHead = async (length: number) => bytes.subarray(0, length);
  return readGguf({ size: bytes.length, readHead }, { maxArray: 100 });
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
  test('metadata and tensors', async () => {
    const { version, metadata, tensors } = await readGgufFile(emberPath);
    expect(version).toBe(3);
    expect(metadata.get('general.architecture')).toBe('llama');
    expect(metadata.get('llama.context_length')).toBe(4096);
    expect(metadata.get('llama.rope.freq_base')).toBe(50000);
    expect(metadata.get('tokenizer.ggml.add_bos_token')).toBe(false);
    expect(metadata.get('tokenizer.ggml.tokens')).toHaveLength(8192);
    expect(tensors).toHaveLength(110);
    const last = tensors.reduce((a, b) => (a.offset > b.offset ? a : b));
    expect(last.offset + last.bytes).toBeLessThanOrEqual(ember.length);
  });

  test('skips long arrays on request', async () => {
    const { metadata } = await readGgufFile(emberPath, { maxArray: 10 });
    expect(metadata.get('tokenizer.ggml.tokens')).toEqual([]);
    expect(metadata.get('general.name')).toBe('Ember');
  });

  test('is refused if truncated anywhere', async () => {
    for (const length of [0, 3, 4, 8, 20, 24, 100, 5000, 200_000, headerOfEmber, ember.length - 1]) {
      await expect(read(ember.subarray(0, length)), `${length} bytes`).rejects.toThrow('not a usable GGUF file');
    }
  });
});

describe('refuses', () => {
  test.each([
    ['another magic', Buffer.from('GGML\u0003\0\0\0'), 'starts with "GGML"'],
    ['an unknown version', Buffer.concat([Buffer.from('GGUF'), u32(99)]), 'version 99'],
    ['big-endian files', Buffer.concat([Buffer.from('GGUF'), Buffer.from([0, 0, 0, 3])]), 'big-endian'],
    ['too many tensors', file(u64(2n ** 40n), u64(0)), 'tensors'],
    ['too many entries', file(u64(0), u64(2n ** 40n)), 'metadata entries'],
    ['a count above the safe integers', file(u64(2n ** 63n), u64(0)), 'count or size'],
    ['a very long key', file(u64(0), u64(1), u64(2n ** 33n)), 'metadata key declares'],
    ['a very long string', file(u64(0), u64(1), text('k'), u32(8), u64(2n ** 33n)), 'k declares a string'],
    ['a very long array', file(u64(0), u64(1), text('k'), u32(9), u32(4), u64(2n ** 33n)), 'k declares'],
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
    [
      'a long key in a message',
      file(u64(0), u64(1), text('k'.repeat(1000)), u32(77)),
      `: ${'k'.repeat(80)}… has the unknown type 77`,
    ],
    [
      'an alignment that is none',
      file(u64(0), u64(1), text('general.alignment'), u32(4), u32(3)),
      'general.alignment is 3',
    ],
    ['five dimensions', file(u64(1), u64(0), text('t'), u32(5)), '5 dimensions'],
    ['an unknown tensor type', file(u64(1), u64(0), text('t'), u32(1), u64(1), u32(4), u64(0)), 'type 4'],
    [
      'a row that is not a multiple of the block length',
      file(u64(1), u64(0), text('t'), u32(1), u64(33), u32(8), u64(0)),
      '33',
    ],
    [
      'more elements than numbers can count',
      file(u64(1), u64(0), text('t'), u32(2), u64(2n ** 40n), u64(2n ** 40n), u32(0), u64(0)),
      'shape',
    ],
    [
      'data beyond the end of the file',
      file(u64(1), u64(0), text('t'), u32(1), u64(1000), u32(0), u64(0)),
      'it is truncated: tensor t',
    ],
    ['misaligned data', file(u64(1), u64(0), text('t'), u32(1), u64(0), u32(0), u64(1)), 'not aligned'],
  ])('%s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  describe('a token twice, on request', () => {
    const tokens = (...values: readonly Buffer[]): Buffer => {
      const strings = values.flatMap((value) => [u64(value.length), value]);
      return file(u64(0), u64(1), text('tokenizer.ggml.tokens'), u32(9), u32(8), u64(values.length), ...strings);
    };
    const readTokens = (bytes: Buffer, checkTokens: boolean) =>
      readGguf(
        { size: bytes.length, readHead: async (length) => bytes.subarray(0, length) },
        { maxArray: 0, checkTokens },
      );
    const twice = tokens(Buffer.from('a'), Buffer.from('b'), Buffer.from('a'));

    test('with its positions', async () => {
      const message = 'tokenizer.ggml.tokens has "a" twice, at 0 and 2';
      await expect(readTokens(twice, true)).rejects.toThrow(message);
      await expect(readTokens(twice, false)).resolves.toBeDefined();
    });

    test('but not empty tokens, or those that differ in invalid bytes', async () => {
      const different = tokens(Buffer.alloc(0), Buffer.alloc(0), Buffer.from([0xfe]), Buffer.from([0xff]));
      await expect(readTokens(different, true)).resolves.toBeDefined();
    });

    test('a real vocabulary has none', async () => {
      await expect(readGgufFile(emberPath, { checkTokens: true })).resolves.toBeDefined();
    });
  });

  test('the header is bounded for any size of the file', async () => {
    const start = file(
      u64(0),
      u64(ggufLimits.metadataEntries),
      text('k'),
      u32(9),
      u32(8),
      u64(ggufLimits.arrayEntries),
    );
    const endless = {
      size: Number.MAX_SAFE_INTEGER,
      readHead: async (length: number) => Buffer.concat([start], length),
    };
    await expect(readGguf(endless, { maxArray: 0 })).rejects.toThrow(HearthError);
  });

  test('the entries of all arrays are bounded', async () => {
    const { arrayEntries, allArrayEntries } = ggufLimits;
    const arrays = Array.from({ length: allArrayEntries / arrayEntries + 1 }, (_, index) => [
      ...[text(`k${index}`), u32(9), u32(0), u64(arrayEntries)],
      Buffer.alloc(arrayEntries),
    ]);
    const bytes = file(u64(0), u64(arrays.length), ...arrays.flat());
    await expect(read(bytes)).rejects.toThrow(`more than ${allArrayEntries} entries in total`);
  });

  test('reads no more bytes than the limit of a header', async () => {
    const entry = (index: number) => [text(`k${index}`), u32(8), u64(ggufLimits.stringBytes)];
    const asked: number[] = [];
    const size = 2 * ggufLimits.headerBytes;
    const bytes = Buffer.alloc(ggufLimits.headerBytes);
    let end = file(u64(0), u64(100)).copy(bytes);
    for (let index = 0; end < ggufLimits.headerBytes; index++) {
      end += Buffer.concat(entry(index)).copy(bytes, end) + ggufLimits.stringBytes;
    }
    const readHead = async (length: number) => {
      asked.push(length);
      return bytes.subarray(0, length);
    };
    await expect(readGguf({ size, readHead })).rejects.toThrow('header is longer than');
    expect(Math.max(...asked)).toBe(ggufLimits.headerBytes);
  });
});
