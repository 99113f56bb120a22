// Which endpoints of a remote have which tokens, as their events say.

import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { chainOf } from '../../protocol/token-chain.ts';
import type { Endpoint } from '../endpoint.ts';
import { EndpointBlocks } from './endpoint-blocks.ts';
import { subscribe } from './subscribe.ts';

/** Follows the events of an endpoint. Undefined if it has none. */
export type FollowEndpoint = (endpoint: Endpoint, blocks: EndpointBlocks) => { close(): void } | undefined;

interface Place {
  readonly blocks: EndpointBlocks;
  readonly following: { close(): void };
}

/** The tokens of a prompt, and the endpoints that have a part of them. */
interface TokenMatch {
  /** How many tokens at the start of the prompt the endpoint has. */
  matched(id: string): number;
  /** The request goes to this endpoint. */
  expect(id: string): void;
}

export class TokenPlaces {
  readonly #follow: FollowEndpoint;
  readonly #places = new Map<string, Place>();

  constructor(follow: FollowEndpoint) {
    this.#follow = follow;
  }

  add(endpoint: Endpoint): void {
    const blocks = new EndpointBlocks();
    const following = this.#follow(endpoint, blocks);
    if (following !== undefined) this.#places.set(endpoint.id, { blocks, following });
  }

  remove(id: string): void {
    this.#places.get(id)?.following.close();
    this.#places.delete(id);
  }

  close(): void {
    for (const id of [...this.#places.keys()]) this.remove(id);
  }

  /** Whether the events of all these endpoints can be relied on. */
  knowsAll(ids: readonly string[]): boolean {
    return ids.length > 0 && ids.every((id) => this.#places.get(id)?.blocks.blockSize !== undefined);
  }

  /** Whether an endpoint has tokens of any prompt. */
  hasTokens(id: string): boolean {
    return this.#places.get(id)?.blocks.isEmpty === false;
  }

  /** `now`: in milliseconds. */
  match(tokens: readonly number[], now: number): TokenMatch {
    const chains = new Map<number, readonly number[]>();
    const chainFor = ({ blockSize = 0 }: EndpointBlocks): readonly number[] => {
      const known = chains.get(blockSize) ?? (blockSize === 0 ? [] : chainOf(tokens, blockSize));
      chains.set(blockSize, known);
      return known;
    };
    return {
      matched: (id) => {
        const blocks = this.#places.get(id)?.blocks;
        return blocks === undefined ? 0 : blocks.matched(chainFor(blocks), now);
      },
      expect: (id) => {
        const blocks = this.#places.get(id)?.blocks;
        blocks?.expect(chainFor(blocks), now);
      },
    };
  }
}

/** `events` of an endpoint: the port of its events, and that on which it repeats them. */
export function createFollowEndpoint(
  remote: string,
  { clock, random, logger }: { readonly clock: Clock; readonly random: () => number; readonly logger: Logger },
): FollowEndpoint {
  return ({ url, events = '' }, blocks) => {
    const [port, replayPort] = events
      .split(',')
      .filter((text) => text !== '')
      .map(Number);
    if (port === undefined) return undefined;
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    return subscribe({ remote, host, port, replayPort, blocks, clock, random, logger });
  };
}
