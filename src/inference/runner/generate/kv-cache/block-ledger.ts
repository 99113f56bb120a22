// The blocks of tokens that the prefix cache has, for others who send prompts where most of their tokens are (docs/adr/0069).
// A block is known by the number of its chain, which covers all tokens before it. Prefixes share blocks, so each counts
// the prefixes that have it.

import type { BlocksEvent, StoredBlocks } from '../../../protocol/messages.ts';
import { nextLink } from '../../../protocol/token-chain.ts';

export interface HeldPrefix {
  readonly tokens: Int32Array;
  readonly partition: string;
}

/** Told about each prefix that is put into a cache and removed from it. */
export interface PrefixWatch {
  added(prefix: HeldPrefix): void;
  removed(prefix: HeldPrefix): void;
}

interface Block {
  readonly parent: number | undefined;
  /** Until it is sent. */
  tokens: Int32Array | undefined;
  uses: number;
}

export const announcedBlockSize = 64;
/** More are not announced: four million tokens. */
const maxBlocks = 65_536;
/** In one event, so that a message stays small. */
const maxBlocksAtOnce = 256;

export class BlockLedger implements PrefixWatch {
  readonly #start: number;
  readonly #send: (event: BlocksEvent) => void;
  readonly #chains = new WeakMap<HeldPrefix, readonly number[]>();
  readonly #blocks = new Map<number, Block>();
  readonly #changed = new Set<number>();

  /** `start`: the number before the first block, other for another model. */
  constructor(start: number, send: (event: BlocksEvent) => void) {
    this.#start = start;
    this.#send = send;
  }

  added(prefix: HeldPrefix): void {
    // What belongs to one client or to an adapter is not found by a prompt alone.
    if (prefix.partition !== '' || this.#chains.has(prefix)) return;
    const chain: number[] = [];
    const { tokens } = prefix;
    let link = this.#start;
    for (let end = announcedBlockSize; end <= tokens.length; end += announcedBlockSize) {
      const block = tokens.subarray(end - announcedBlockSize, end);
      // An image.
      if (block.some((token) => token < 0)) break;
      const parent = chain.at(-1);
      link = nextLink(link, block, 0, block.length);
      if (!this.#take(link, parent, block)) break;
      chain.push(link);
    }
    this.#chains.set(prefix, chain);
  }

  removed(prefix: HeldPrefix): void {
    for (const link of this.#chains.get(prefix) ?? []) {
      const block = this.#blocks.get(link);
      if (block === undefined) continue;
      block.uses--;
      if (block.uses === 0) this.#changed.add(link);
    }
    this.#chains.delete(prefix);
  }

  /** Sends what has changed since the last call. */
  flush(): void {
    if (this.#changed.size === 0) return;
    const removed: number[] = [];
    const stored: number[] = [];
    for (const link of this.#changed) {
      const block = this.#blocks.get(link);
      if (block === undefined) continue;
      if (block.uses > 0) {
        if (block.tokens !== undefined) stored.push(link);
        continue;
      }
      this.#blocks.delete(link);
      // Nobody knows it yet.
      if (block.tokens === undefined) removed.push(link);
    }
    this.#changed.clear();
    for (let at = 0; at < removed.length; at += maxBlocksAtOnce)
      this.#sendBlocks([], removed.slice(at, at + maxBlocksAtOnce));
    for (let at = 0; at < stored.length; at += maxBlocksAtOnce)
      this.#sendBlocks(this.#toRuns(stored.slice(at, at + maxBlocksAtOnce)), []);
  }

  /** False if there is no room for another block. */
  #take(link: number, parent: number | undefined, tokens: Int32Array): boolean {
    const known = this.#blocks.get(link);
    if (known !== undefined) {
      known.uses++;
      return true;
    }
    if (this.#blocks.size >= maxBlocks) return false;
    // A copy: the prefix may be gone before it is sent, and its tokens with it.
    this.#blocks.set(link, { parent, tokens: tokens.slice(), uses: 1 });
    this.#changed.add(link);
    return true;
  }

  /** Blocks that follow each other are sent together. */
  #toRuns(links: readonly number[]): StoredBlocks[] {
    const runs: { hashes: number[]; parent: number | undefined; tokens: number[] }[] = [];
    for (const link of links) {
      const { parent, tokens = [] } = this.#blocks.get(link) as Block;
      const last = runs.at(-1);
      if (last !== undefined && parent !== undefined && last.hashes.at(-1) === parent) {
        last.hashes.push(link);
        last.tokens.push(...tokens);
      } else runs.push({ hashes: [link], parent, tokens: [...tokens] });
      (this.#blocks.get(link) as Block).tokens = undefined;
    }
    return runs;
  }

  #sendBlocks(stored: readonly StoredBlocks[], removed: readonly number[]): void {
    this.#send({ type: 'blocks', blockSize: announcedBlockSize, stored, removed });
  }
}
