// Publishes which blocks of tokens the prefix caches of this server have, with the two sockets of vLLM's publisher: PUB sends
// events as they happen, ROUTER repeats past ones. Messages have a topic, a number and a batch.

import type { PublisherAddress } from '../../base/config/publisher-address.ts';
import { badConfiguration } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { BlockEvents, RunnerBlocks } from '../../inference/engine/block-events.ts';
import type { BlocksEvent, StoredBlocks } from '../../inference/protocol/messages.ts';
import { encodeEvents } from './encode-events.ts';
import { MessageListener, type MessagePeer } from './message-listener.ts';
import { MessageLog, numberOf } from './message-log.ts';

interface PublisherOptions {
  readonly events: PublisherAddress;
  /** Absent: past events are not repeated. */
  readonly replay?: PublisherAddress | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** That of vLLM, unless it is configured. */
const topic = Buffer.alloc(0);
const maxTopics = 64;
const subscribe = 1;
const unsubscribe = 0;
const empty = Buffer.alloc(0);
const endOfPast = numberOf(-1n);
const numberBytes = 8;
/** Blocks of one runner. Its ledger has fewer. */
const maxRunnerBlocks = 131_072;

export class BlockPublisher implements BlockEvents {
  readonly #options: PublisherOptions;
  readonly #log = new MessageLog();
  /** How many runners have a block: two runners of one model have the same numbers. */
  readonly #runners = new Map<number, number>();
  readonly #events = new MessageListener({ type: 'PUB', onMessage: onSubscription });
  readonly #replay = new MessageListener({ type: 'ROUTER', onMessage: (peer, parts) => this.#repeat(peer, parts) });

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Rejects with `bad_configuration` if an address cannot be used. */
  async listen(): Promise<void> {
    const { events, replay } = this.#options;
    await listenAt(this.#events, 'HEARTH_KV_EVENTS', events);
    if (replay !== undefined) await listenAt(this.#replay, 'HEARTH_KV_EVENTS_REPLAY', replay);
  }

  open(): RunnerBlocks {
    const own = new Set<number>();
    const close = (): void => {
      this.#publish({ blockSize: 0, stored: [], removed: this.#release([...own], own) });
    };
    return { apply: (change) => this.#apply(change, own), close };
  }

  close(): void {
    this.#events.close();
    this.#replay.close();
  }

  /** Events of a runner are hostile: what does not fit is left out. */
  #apply({ blockSize, stored, removed }: BlocksEvent, own: Set<number>): void {
    if (blockSize === 0) return;
    const gone = this.#release(removed, own);
    const isWhole = ({ hashes, tokens }: StoredBlocks): boolean => tokens.length === hashes.length * blockSize;
    const taken = stored.filter((blocks) => isWhole(blocks) && own.size + blocks.hashes.length <= maxRunnerBlocks);
    for (const hash of taken.flatMap(({ hashes }) => hashes)) {
      if (own.has(hash)) continue;
      own.add(hash);
      this.#runners.set(hash, (this.#runners.get(hash) ?? 0) + 1);
    }
    this.#publish({ blockSize, stored: taken, removed: gone });
  }

  /** Returns those that no other runner has. */
  #release(hashes: readonly number[], own: Set<number>): number[] {
    return hashes.filter((hash) => {
      if (!own.delete(hash)) return false;
      const others = (this.#runners.get(hash) ?? 1) - 1;
      if (others === 0) this.#runners.delete(hash);
      else this.#runners.set(hash, others);
      return others === 0;
    });
  }

  #publish(change: Omit<BlocksEvent, 'type'>): void {
    if (change.stored.length + change.removed.length === 0) return;
    const { number, payload } = this.#log.add(encodeEvents(change, this.#options.clock.now() / 1000));
    for (const peer of this.#events.peers()) if (isWanted(peer)) peer.send([topic, number, payload]);
  }

  /** The question is the number of the first message, after an empty part. */
  #repeat(peer: MessagePeer, parts: readonly Buffer[]): void {
    const first = parts.at(-1);
    if (first?.length !== numberBytes) throw new Error('a question has no number');
    for (const { number, payload } of this.#log.from(first.readBigInt64BE())) peer.send([empty, number, payload]);
    peer.send([empty, endOfPast, empty]);
  }
}

function onSubscription(peer: MessagePeer, [message]: readonly Buffer[]): void {
  const wanted = message?.toString('latin1', 1) ?? '';
  if (message?.[0] === subscribe && peer.topics.size < maxTopics) peer.topics.add(wanted);
  else if (message?.[0] === unsubscribe) peer.topics.delete(wanted);
}

const isWanted = ({ topics }: MessagePeer): boolean =>
  [...topics].some((wanted) => topic.toString('latin1').startsWith(wanted));

async function listenAt(listener: MessageListener, name: string, address: PublisherAddress): Promise<void> {
  const { host = '*', port } = address;
  await listener.listen(address).catch((error: unknown) => {
    throw badConfiguration(`${name}: cannot listen on ${host}:${port}: ${describeSystemError(error)}`);
  });
}
