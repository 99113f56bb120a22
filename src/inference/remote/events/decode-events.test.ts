import { encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { decodeEvents } from './decode-events.ts';

const tokens = Array.from({ length: 32 }, (_, index) => index);
const hash = Buffer.from('0102030405060708', 'hex');
const stored = { type: 'stored', hashes: [0x010203040506, 7], parent: undefined, tokens, blockSize: 16 };
const inArray = (...events: unknown[]) => encode([1.5, events, 0]);

test('structs are arrays of older versions and maps of newer ones', () => {
  const array = ['BlockStored', [hash, 7], null, tokens, 16, null];
  const map = {
    type: 'BlockStored',
    block_hashes: [hash, 7],
    parent_block_hash: null,
    token_ids: tokens,
    block_size: 16,
    lora_id: null,
    medium: 'GPU',
    lora_name: null,
  };
  expect(decodeEvents(inArray(array))).toEqual([stored]);
  expect(decodeEvents(encode({ ts: 1.5, events: [map], data_parallel_rank: 0 }))).toEqual([stored]);
  expect(decodeEvents(inArray(['BlockRemoved', [7]], ['AllBlocksCleared']))).toEqual([
    { type: 'removed', hashes: [7] },
    { type: 'cleared' },
  ]);
});

test('numbers of 64 bits are told apart', () => {
  const hashes = [2n ** 63n + 1n, 2n ** 63n + 2n];
  const payload = encode([0, [['BlockRemoved', hashes]], null], { useBigInt64: true });
  expect(decodeEvents(payload)).toEqual([{ type: 'removed', hashes: [1, 2] }]);
});

test.each([
  ['an adapter', ['BlockStored', [7], null, tokens.slice(16), 16, 3]],
  ['other memory', ['BlockStored', [7], null, tokens.slice(16), 16, null, 'CPU']],
  ['an image or a salt', ['BlockStored', [7], null, tokens.slice(16), 16, null, 'GPU', null, [['salt']]]],
  ['a group of layers', ['BlockRemoved', [7], 'GPU', 1]],
  ['something newer', ['BlockMoved', [7]]],
])('blocks of %s are left out', (_, event) => {
  expect(decodeEvents(inArray(event, ['AllBlocksCleared']))).toEqual([{ type: 'cleared' }]);
});

test.each([
  ['no MessagePack', Buffer.from([0xc1])],
  ['no batch', encode('text')],
  ['no events', encode([1, 2])],
  ['tokens that do not fit', inArray(['BlockStored', [7], null, tokens, 16, null])],
  ['tokens that are none', inArray(['BlockStored', [7], null, Array(16).fill('x'), 16, null])],
  ['a wrong size', inArray(['BlockStored', [7], null, [1], 1, null])],
  ['a wrong hash', inArray(['BlockRemoved', ['x']])],
  ['a long text', inArray(['x'.repeat(10_000)])],
])('%s is an error', (_, payload) => {
  expect(() => decodeEvents(payload)).toThrow();
});
