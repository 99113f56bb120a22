// Simulates conversations with engines that cache evaluated prompts, for one way to choose among the engines. An engine
// evaluates prompts one after the other at a fixed speed, generates all answers at once at a fixed speed, and caches the
// blocks that were used last.

import { createLruCache, type LruCache } from '../../src/base/lru-cache.ts';
import { blockTokens, type Conversation, createRandom } from './conversations.ts';
import { createEventQueue } from './event-queue.ts';
import { createSimulatedEvents, type SimulatedEvents } from './simulated-events.ts';
import type { CreateStrategy } from './strategies.ts';

export interface SimulationOptions {
  readonly conversations: readonly Conversation[];
  readonly endpoints: number;
  /** Tokens that the cache of an engine holds. */
  readonly cacheTokens: number;
  /** Tokens of prompts per second. */
  readonly promptSpeed: number;
  /** Tokens of one answer per second. */
  readonly answerSpeed: number;
  readonly seed: number;
}

export interface SimulationResult {
  readonly requests: number;
  /** The part of all prompt tokens that was in the cache. */
  readonly hitRate: number;
  /** Of the requests per endpoint: the largest number divided by the mean. */
  readonly imbalance: number;
  /** The same for evaluated tokens. */
  readonly workImbalance: number;
  /** Seconds to the first token. */
  readonly meanWait: number;
  readonly longWait: number;
}

interface EngineModel {
  readonly cache: LruCache<true>;
  readonly events: SimulatedEvents;
  /** Blocks that the current prompt pushed out of the cache. */
  readonly evicted: string[];
  /** When all prompts that it has are evaluated. */
  freeAt: number;
  requests: number;
  evaluated: number;
}

type SimulatedEvent = { readonly conversation: number; readonly turn: number } | { readonly run: () => void };

export function simulateRouting(createStrategy: CreateStrategy, options: SimulationOptions): SimulationResult {
  const { conversations, cacheTokens, promptSpeed, answerSpeed, seed } = options;
  const engines = new Map<string, EngineModel>();
  for (let index = 0; index < options.endpoints; index++) {
    const evicted: string[] = [];
    const cache = createLruCache<true>(Math.floor(cacheTokens / blockTokens), (block) => evicted.push(block));
    const events = createSimulatedEvents();
    engines.set(`engine-${index}`, { cache, events, evicted, freeAt: 0, requests: 0, evaluated: 0 });
  }
  let now = 0;
  const eventsOf = (id: string): SimulatedEvents => (engines.get(id) as EngineModel).events;
  const choose = createStrategy({ ids: [...engines.keys()], random: createRandom(seed), now: () => now, eventsOf });
  const events = createEventQueue<SimulatedEvent>();
  const waits: number[] = [];
  let promptTokens = 0;

  function ask(conversation: number, turn: number): void {
    const asked = conversations[conversation]?.turns[turn];
    if (asked === undefined) return;
    const { id, release } = choose(asked, conversation);
    const engine = engines.get(id) as EngineModel;
    const cached = useCache(engine.cache, asked.blocks);
    const missed = asked.tokens - cached * blockTokens;
    engine.requests += 1;
    engine.evaluated += missed;
    engine.freeAt = Math.max(now, engine.freeAt) + missed / promptSpeed;
    promptTokens += asked.tokens;
    waits.push(engine.freeAt - now);
    const end = engine.freeAt + asked.answerTokens / answerSpeed;
    events.add(end, { run: release });
    // Engines send events when a prompt is evaluated.
    const evicted = engine.evicted.splice(0);
    const send = (): void => {
      engine.events.stored(asked.blocks, cached);
      for (const block of evicted) engine.events.evicted(block);
    };
    events.add(engine.freeAt, { run: send });
    const pause = conversations[conversation]?.turns[turn + 1]?.pause;
    if (pause !== undefined) events.add(end + pause, { conversation, turn: turn + 1 });
  }

  for (const [conversation, { startsAt }] of conversations.entries()) events.add(startsAt, { conversation, turn: 0 });
  for (let next = events.next(); next; next = events.next()) {
    now = next.at;
    if ('run' in next.event) next.event.run();
    else ask(next.event.conversation, next.event.turn);
  }

  const evaluated = [...engines.values()].map((engine) => engine.evaluated);
  waits.sort((a, b) => a - b);
  return {
    requests: waits.length,
    hitRate: 1 - sum(evaluated) / promptTokens,
    imbalance: imbalanceOf([...engines.values()].map(({ requests }) => requests)),
    workImbalance: imbalanceOf(evaluated),
    meanWait: sum(waits) / waits.length,
    longWait: waits[Math.floor(waits.length * 0.95)] ?? 0,
  };
}

/** The number of blocks at the start of the prompt that are cached. Afterwards all of them are. */
function useCache(cache: LruCache<true>, blocks: readonly string[]): number {
  const missing = blocks.findIndex((block) => cache.get(block) === undefined);
  // The first block is the latest one, so that the end of a prompt leaves the cache before its start.
  for (const block of blocks.toReversed()) cache.set(block, true);
  return missing === -1 ? blocks.length : missing;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function imbalanceOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0) / (sum(values) / values.length);
}
