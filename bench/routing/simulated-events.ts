// The cache events of a simulated engine: what it stores and evicts, in the form that endpoints send. A block has one token
// for each of its 128, which is the number of the block.

import type { CacheEvent } from '../../src/inference/remote/events/decode-events.ts';
import type { EndpointBlocks } from '../../src/inference/remote/events/endpoint-blocks.ts';
import { blockTokens } from './conversations.ts';

const numbers = new Map<string, number>();

/** Blocks have the same number wherever they are. */
function numberOf(block: string): number {
  const known = numbers.get(block);
  if (known !== undefined) return known;
  numbers.set(block, numbers.size + 1);
  return numbers.size;
}

export function tokensOf(blocks: readonly string[]): readonly number[] {
  const tokens = new Array<number>(blocks.length * blockTokens);
  for (const [index, block] of blocks.entries())
    tokens.fill(numberOf(block), index * blockTokens, (index + 1) * blockTokens);
  return tokens;
}

/** The events of one engine, for every server in front. */
export function createSimulatedEvents() {
  const followers: EndpointBlocks[] = [];
  const send = (event: CacheEvent): void => {
    for (const blocks of followers) blocks.apply(event);
  };
  return {
    follow(blocks: EndpointBlocks): { close(): void } {
      followers.push(blocks);
      blocks.begin();
      return { close() {} };
    },
    /** The blocks of a prompt; those from `first` on are new. */
    stored(blocks: readonly string[], first: number): void {
      const added = blocks.slice(first);
      if (added.length === 0) return;
      const before = blocks[first - 1];
      send({
        type: 'stored',
        hashes: added.map(numberOf),
        parent: before === undefined ? undefined : numberOf(before),
        tokens: tokensOf(added),
        blockSize: blockTokens,
      });
    },
    evicted: (block: string): void => send({ type: 'removed', hashes: [numberOf(block)] }),
  };
}

export type SimulatedEvents = ReturnType<typeof createSimulatedEvents>;
