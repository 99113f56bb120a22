// Which endpoints have evaluated which blocks of prompts. Bounded: blocks that were not used for long are forgotten.

import { createLruCache } from '../../../base/lru-cache.ts';
import { maxHolders, maxKnownBlocks } from './limits.ts';

/** An endpoint since it was last forgotten: entries with an older object do not count. */
interface Holder {
  readonly id: string;
}

export function createPrefixMemory(maxEntries = maxKnownBlocks) {
  const current = new Map<string, Holder>();
  const holdersOfBlock = createLruCache<readonly Holder[]>(maxEntries);
  const isCurrent = (holder: Holder): boolean => current.get(holder.id) === holder;

  function holderFor(id: string): Holder {
    const holder = current.get(id) ?? { id };
    current.set(id, holder);
    return holder;
  }

  return {
    /** The ids of endpoints that have evaluated the block, the latest first. */
    holdersOf: (block: string): readonly string[] =>
      (holdersOfBlock.get(block) ?? []).filter(isCurrent).map(({ id }) => id),
    /** The endpoint evaluates these blocks now. */
    add(id: string, blocks: readonly string[]): void {
      const holder = holderFor(id);
      // The first block is added last: a block is of no use without those before it, so it must be forgotten first.
      for (const block of blocks.toReversed()) {
        const others = (holdersOfBlock.get(block) ?? []).filter((other) => other !== holder && isCurrent(other));
        holdersOfBlock.set(block, [holder, ...others].slice(0, maxHolders));
      }
    },
    /** The endpoint has lost what it had evaluated. */
    forget: (id: string): void => void current.delete(id),
  };
}
