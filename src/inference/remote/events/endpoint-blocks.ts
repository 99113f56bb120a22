// The blocks of tokens that one endpoint has, as its events say, and those that it is about to have. Bounded: beyond the
// limit, new blocks are not remembered.

import { createLruCache } from '../../../base/lru-cache.ts';
import { chainStart, nextLink } from '../../protocol/token-chain.ts';
import type { CacheEvent } from './decode-events.ts';
import { expectedTime, matchedStep, maxEndpointBlocks, maxExpected } from './limits.ts';

export class EndpointBlocks {
  /** By the hash of the engine. */
  readonly #links = new Map<number, number>();
  readonly #stored = new Set<number>();
  readonly #expected = createLruCache<number>(maxExpected);
  /** Undefined: the events do not say what the endpoint has, because they have not begun or were interrupted. */
  #blockSize: number | undefined;
  #isLive = false;

  /** Undefined if the events cannot be relied on now. 0: there was no block yet. */
  get blockSize(): number | undefined {
    return this.#isLive ? (this.#blockSize ?? 0) : undefined;
  }

  get isEmpty(): boolean {
    return this.#stored.size === 0;
  }

  /** From now on, every event arrives. */
  begin(): void {
    this.#isLive = true;
  }

  /** Events may have been missed. */
  reset(): void {
    this.#isLive = false;
    this.#clear();
  }

  apply(event: CacheEvent): void {
    if (event.type === 'stored') this.#store(event);
    else if (event.type === 'removed') for (const hash of event.hashes) this.#remove(hash);
    else this.#clear();
  }

  /** A request with these blocks goes to the endpoint now. `now`: in milliseconds. */
  expect(chain: readonly number[], now: number): void {
    for (const link of chain) this.#expected.set(String(link), now + expectedTime);
  }

  /** How many tokens at the start of the prompt the endpoint has, in steps. */
  matched(chain: readonly number[], now: number): number {
    const has = (link: number): boolean => this.#stored.has(link) || (this.#expected.get(String(link)) ?? 0) > now;
    const missing = chain.findIndex((link) => !has(link));
    const tokens = (missing === -1 ? chain.length : missing) * (this.#blockSize ?? 0);
    return Math.floor(tokens / matchedStep) * matchedStep;
  }

  #store({ hashes, parent, tokens, blockSize }: CacheEvent & { readonly type: 'stored' }): void {
    if (this.#blockSize !== blockSize) this.#clear();
    this.#blockSize = blockSize;
    let link = parent === undefined ? chainStart : this.#links.get(parent);
    // The blocks before it are not known.
    if (link === undefined) return;
    for (const [index, hash] of hashes.entries()) {
      if (this.#links.size >= maxEndpointBlocks && !this.#links.has(hash)) return;
      link = nextLink(link, tokens, index * blockSize, (index + 1) * blockSize);
      this.#links.set(hash, link);
      this.#stored.add(link);
    }
  }

  #remove(hash: number): void {
    const link = this.#links.get(hash);
    if (link === undefined) return;
    this.#links.delete(hash);
    this.#stored.delete(link);
  }

  #clear(): void {
    this.#links.clear();
    this.#stored.clear();
  }
}
