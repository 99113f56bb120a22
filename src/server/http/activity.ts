// The requests that run models now, and the tokens of the last minutes. Requests count their tokens while they run, and
// a timer reads the counts, so that a long answer is seen before its end.

import type { FastifyRequest } from 'fastify';
import { type RequestReport, sumCounts, type TokenCount } from '../../base/request/request-report.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';

/** A request that runs a model. */
export interface Work {
  readonly id: string;
  readonly client: string;
  /** Whether it gets only what no other request needs. */
  readonly isBackground: boolean;
  /** The name of its key; empty if the server has no keys. */
  readonly key: string;
  /** The path of the route. */
  readonly endpoint: string;
  /** The time in milliseconds since the epoch. */
  readonly since: number;
  /** Empty until it is known. */
  model(): string;
  /** So far. */
  tokens(): Readonly<TokenCount>;
}

export const activityIntervalMs = 5000;
export const activityIntervals = 60;
const readIntervalMs = 1000;

const noTokens: Readonly<TokenCount> = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };

export function createActivity(clock: Clock) {
  // What each has used when it was read last.
  const works = new Map<Work, Readonly<TokenCount>>();
  // By the number of the interval: the tokens of each client that used any.
  const intervals = new Map<number, Map<string, Readonly<TokenCount>>>();
  let readsLater = false;

  const currentInterval = (): number =>
    Math.floor(clock.monotonic() / (activityIntervalMs * nanosecondsPerMillisecond));

  function add(client: string, tokens: Readonly<TokenCount>): void {
    const number = currentInterval();
    const clients = intervals.get(number) ?? new Map<string, Readonly<TokenCount>>();
    intervals.set(number, clients);
    clients.set(client, sumCounts([clients.get(client) ?? noTokens, tokens]));
    for (const old of intervals.keys()) if (old < number - activityIntervals) intervals.delete(old);
  }

  function read(work: Work): void {
    const before = works.get(work) ?? noTokens;
    const now = work.tokens();
    works.set(work, now);
    const used = increase(before, now);
    if (used !== undefined) add(work.client, used);
  }

  function readAll(): void {
    for (const work of works.keys()) read(work);
  }

  function readLater(): void {
    if (readsLater) return;
    readsLater = true;
    clock.after(readIntervalMs, () => {
      readsLater = false;
      readAll();
      if (works.size > 0) readLater();
    });
  }

  return {
    /** The result ends it. */
    begin(work: Work): () => void {
      works.set(work, noTokens);
      readLater();
      return () => {
        if (works.has(work)) read(work);
        works.delete(work);
      };
    },
    /** In order of arrival. */
    list: (): readonly Work[] => [...works.keys()],
    /** The tokens of each interval, the oldest first; the current one is left out. Without a client: of all clients. */
    history(client?: string): readonly Readonly<TokenCount>[] {
      readAll();
      const first = currentInterval() - activityIntervals;
      return Array.from({ length: activityIntervals }, (_, index) => {
        const clients = intervals.get(first + index);
        if (client === undefined) return sumCounts([...(clients?.values() ?? [])]);
        return clients?.get(client) ?? noTokens;
      });
    },
  };
}

export type Activity = ReturnType<typeof createActivity>;

/** Undefined if there is none. A count can be corrected downwards. */
function increase(before: Readonly<TokenCount>, now: Readonly<TokenCount>): Readonly<TokenCount> | undefined {
  const of = (field: keyof TokenCount): number => Math.max(0, now[field] - before[field]);
  const added = {
    promptTokens: of('promptTokens'),
    cachedTokens: of('cachedTokens'),
    generatedTokens: of('generatedTokens'),
  };
  return added.promptTokens + added.generatedTokens > 0 ? added : undefined;
}

/** Work that goes on after the response counts, too. */
export function toWork({ scope, report, routeOptions }: FastifyRequest, since: number): Work {
  const current = (): RequestReport => report.continuation?.report ?? report;
  return {
    id: scope.id,
    client: scope.client,
    isBackground: scope.background ?? false,
    key: scope.key?.name ?? '',
    endpoint: routeOptions.url ?? '',
    since,
    model: () => current().model,
    tokens: () => sumCounts(current().counts),
  };
}
