import { expect, test } from 'vitest';
import { chainOf } from '../../protocol/token-chain.ts';
import { EndpointBlocks } from './endpoint-blocks.ts';
import { expectedTime, maxEndpointBlocks } from './limits.ts';

const size = 64;
/** Blocks of one token each. */
const tokensOf = (...blocks: number[]): number[] => blocks.flatMap((block) => Array<number>(size).fill(block));
const chain = (...blocks: number[]) => chainOf(tokensOf(...blocks), size);

function store(blocks: EndpointBlocks, hashes: number[], parent?: number, tokens = hashes): void {
  blocks.apply({ type: 'stored', hashes, parent, tokens: tokensOf(...tokens), blockSize: size });
}

function setUp(): EndpointBlocks {
  const blocks = new EndpointBlocks();
  blocks.begin();
  store(blocks, [1, 2]);
  store(blocks, [3, 4], 2);
  return blocks;
}

test('the start of a prompt is found, whichever events stored it', () => {
  const blocks = setUp();
  expect(blocks.matched(chain(1, 2, 3, 4, 5), 0)).toBe(4 * size);
  expect(blocks.matched(chain(1, 2, 9), 0)).toBe(2 * size);
  // A block counts only after those before it.
  expect(blocks.matched(chain(3, 4), 0)).toBe(0);
  // Half of a step.
  expect(blocks.matched(chain(1, 9), 0)).toBe(0);
});

test('removed blocks and what follows them are not found', () => {
  const blocks = setUp();
  blocks.apply({ type: 'removed', hashes: [3, 77] });
  expect(blocks.matched(chain(1, 2, 3, 4), 0)).toBe(2 * size);
  blocks.apply({ type: 'cleared' });
  expect(blocks.matched(chain(1, 2), 0)).toBe(0);
});

test('blocks after an unknown one are left out', () => {
  const blocks = setUp();
  store(blocks, [8], 99);
  expect(blocks.matched(chain(8), 0)).toBe(0);
});

test('what was sent counts for a while', () => {
  const blocks = setUp();
  blocks.expect(chain(1, 2, 3, 4, 5, 6), 1000);
  expect(blocks.matched(chain(1, 2, 3, 4, 5, 6), 1000)).toBe(6 * size);
  expect(blocks.matched(chain(1, 2, 3, 4, 5, 6), 1000 + expectedTime)).toBe(4 * size);
});

test('events that broke off are not relied on', () => {
  const blocks = setUp();
  expect(blocks.blockSize).toBe(size);
  blocks.reset();
  expect(blocks.blockSize).toBeUndefined();
  expect(blocks.matched(chain(1, 2), 0)).toBe(0);
});

test('the number of blocks is limited', () => {
  const small = 8;
  const blocks = new EndpointBlocks();
  const hashes = Array.from({ length: maxEndpointBlocks + 16 }, (_, index) => index + 1);
  const tokens = hashes.flatMap((hash) => Array<number>(small).fill(hash));
  blocks.apply({ type: 'stored', hashes, tokens, blockSize: small });
  expect(blocks.matched(chainOf(tokens, small), 0)).toBe(maxEndpointBlocks * small);
});
