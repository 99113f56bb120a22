// The ways to choose an endpoint that the simulation compares.

import type { Endpoint, Router } from '../../src/inference/remote/endpoint.ts';
import type { FollowEndpoint } from '../../src/inference/remote/events/token-places.ts';
import { createRouter } from '../../src/inference/remote/routing/create-router.ts';
import type { Prompt } from './conversations.ts';
import { type SimulatedEvents, tokensOf } from './simulated-events.ts';

export interface StrategyOptions {
  readonly ids: readonly string[];
  readonly random: () => number;
  /** Returns seconds. */
  readonly now: () => number;
  readonly eventsOf: (id: string) => SimulatedEvents;
}

/** Returns the id of the endpoint, and a function that ends the use of it. */
export type Strategy = (prompt: Prompt, conversation: number) => { readonly id: string; readonly release: () => void };

/** Several servers in front of the endpoints know nothing of each other. */
export type CreateStrategy = (options: StrategyOptions) => Strategy;

const none: ReadonlySet<string> = new Set();

function toEndpoint(id: string): Endpoint {
  return { id, url: `http://${id}.example`, kind: 'openai', servedModel: 'm', keyRef: '', caFile: '' };
}

type PickServer = (conversation: number, random: () => number) => number;

/** The router of Hearth. `pick` chooses the server in front: 0 to 1 of their number. */
function affinity(servers: number, pick: PickServer, { hasEvents = false } = {}): CreateStrategy {
  return ({ ids, random, now, eventsOf }) => {
    const clock = { now: () => now() * 1000, monotonic: () => now() * 1e9, after: () => ({ cancel() {} }) };
    let blocks: readonly string[] = [];
    const follow: FollowEndpoint | undefined = hasEvents ? ({ id }, known) => eventsOf(id).follow(known) : undefined;
    const options = { clock, random, check: async () => ({}), toBlocks: () => blocks, follow };
    const create = (): Router => createRouter(ids.map(toEndpoint), options);
    const routers = Array.from({ length: servers }, create);
    return (prompt, conversation) => {
      const router = routers[Math.floor(pick(conversation, random) * servers)];
      blocks = prompt.blocks;
      const choice = router?.choose('a prompt', none, hasEvents ? tokensOf(prompt.blocks) : undefined);
      if (choice === undefined) throw new Error('no endpoint was chosen');
      return { id: choice.endpoint.id, release: () => choice.release('ok') };
    };
  };
}

const leastLoaded: CreateStrategy = ({ ids }) => {
  const load = new Map(ids.map((id) => [id, 0]));
  const change = (id: string, by: number): void => void load.set(id, (load.get(id) ?? 0) + by);
  return () => {
    const [id = ''] = [...load].reduce((best, one) => (one[1] < best[1] ? one : best));
    change(id, 1);
    return { id, release: () => change(id, -1) };
  };
};

const roundRobin: CreateStrategy = ({ ids }) => {
  let next = 0;
  return () => ({ id: ids[next++ % ids.length] ?? '', release() {} });
};

const anyOne: CreateStrategy = ({ ids, random }) => {
  return () => ({ id: ids[Math.floor(random() * ids.length)] ?? '', release() {} });
};

export const strategies: Readonly<Record<string, CreateStrategy>> = {
  'prefix affinity': affinity(1, () => 0),
  'prefix affinity, 4 servers in front, a conversation stays with one': affinity(4, (index) => (index % 4) / 4),
  'prefix affinity, 4 servers in front, any of them': affinity(4, (_, random) => random()),
  'cache events': affinity(1, () => 0, { hasEvents: true }),
  'cache events, 4 servers in front, any of them': affinity(4, (_, random) => random(), { hasEvents: true }),
  'least loaded': leastLoaded,
  'round robin': roundRobin,
  random: anyOne,
};
