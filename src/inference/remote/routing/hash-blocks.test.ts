import { expect, test } from 'vitest';
import { hashBlocks } from './hash-blocks.ts';
import { blockLength, maxBlocks } from './limits.ts';

const text = (length: number, seed = 'x'): string => seed.repeat(length);

test('a longer prompt has the blocks of its prefix', () => {
  const system = text(3 * blockLength);
  expect(hashBlocks(system + text(2 * blockLength, 'y')).slice(0, 3)).toEqual(hashBlocks(system));
});

test('a block depends on everything before it', () => {
  const same = text(blockLength);
  const [, one] = hashBlocks(text(blockLength, 'a') + same);
  const [, other] = hashBlocks(text(blockLength, 'b') + same);
  expect(one).not.toBe(other);
});

test('an incomplete last block is left out, but a short prompt is one block', () => {
  expect(hashBlocks(text(2 * blockLength - 1))).toHaveLength(1);
  expect(hashBlocks(text(2 * blockLength - 1))).toEqual(hashBlocks(text(blockLength)));
  expect(hashBlocks('hi')).toHaveLength(1);
  expect(hashBlocks('hi')).not.toEqual(hashBlocks('ho'));
});

test('the number of blocks is bounded', () => {
  expect(hashBlocks(text((maxBlocks + 10) * blockLength))).toHaveLength(maxBlocks);
});

test('blocks that end within different characters differ', () => {
  const before = text(blockLength - 1);
  expect(hashBlocks(`${before}\ud83d`)).not.toEqual(hashBlocks(`${before}\ud83e`));
});
