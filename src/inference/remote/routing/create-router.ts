// Chooses an endpoint for each request of a remote: prefix affinity with bounded load (`choose-endpoint.ts`), circuit
// breakers (`circuit.ts`) and checks in the background (`health-checks.ts`). ADR 45.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { Choice, Endpoint, Router } from '../endpoint.ts';
import { type FollowEndpoint, TokenPlaces } from '../events/token-places.ts';
import { type Candidate, chooseEndpoint } from './choose-endpoint.ts';
import { startProbe } from './circuit.ts';
import {
  type EndpointState,
  isFullNow,
  loadOf,
  needsProbe,
  newEndpointState,
  noteBegin,
  noteCheck,
  noteOutcome,
} from './endpoint-state.ts';
import { hashBlocks } from './hash-blocks.ts';
import { type CheckEndpoint, createHealthChecks } from './health-checks.ts';
import { createPrefixMemory } from './prefix-memory.ts';

interface RouterOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly check: CheckEndpoint;
  /** The blocks of a prompt. The simulation has prompts without text. */
  readonly toBlocks?: (prefix: string) => readonly string[];
  /** Absent: no endpoint has events. */
  readonly follow?: FollowEndpoint | undefined;
}

export function createRouter(first: readonly Endpoint[], options: RouterOptions): Router {
  const { clock, random = Math.random, check, toBlocks = hashBlocks, follow = () => undefined } = options;
  const states = new Map<string, EndpointState>();
  const memory = createPrefixMemory();
  const places = new TokenPlaces(follow);
  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;
  const moment = () => ({ now: now(), random: random() });
  const checks = createHealthChecks({
    clock,
    random,
    check,
    onResult(id, result) {
      const state = states.get(id);
      if (state) change(state, () => noteCheck(state, result, moment()));
    },
  });

  /** An endpoint whose circuit opens may be restarted before it closes: what it has evaluated does not count any more. */
  function change(state: EndpointState, apply: () => void): void {
    const isOpen = (): boolean => state.circuit.state === 'open';
    const wasOpen = isOpen();
    apply();
    if (isOpen() && !wasOpen) memory.forget(state.endpoint.id);
  }

  function use(state: EndpointState, blocks: readonly string[], isProbe: boolean): Choice {
    if (isProbe) state.circuit = startProbe(state.circuit);
    state.inFlight += 1;
    let hasBegun = false;
    // Now, and not at the end: requests with the same prefix that arrive meanwhile belong there too.
    memory.add(state.endpoint.id, blocks);
    return {
      endpoint: state.endpoint,
      begun() {
        if (isProbe && !hasBegun) noteBegin(state, now());
        hasBegun = true;
      },
      release(outcome) {
        state.inFlight -= 1;
        change(state, () => noteOutcome(state, outcome, { ...moment(), isProbe }));
      },
    };
  }

  function tokenizer(): Endpoint | undefined {
    const closed = [...states.values()].filter(isClosed);
    if (closed.length < 2 || !knowsAll(places, closed)) return undefined;
    // An endpoint without tokens may have to load the model first, and there is nothing to find if none has any.
    const asked = closed.filter(({ endpoint }) => places.hasTokens(endpoint.id));
    return asked.length === 0 ? undefined : leastUsed(asked).endpoint;
  }

  function choose(prefix: string, excluding: ReadonlySet<string>, tokens?: readonly number[]): Choice | undefined {
    checks.noteRequest();
    const time = now();
    const left = [...states.values()].filter(({ endpoint }) => !excluding.has(endpoint.id));
    const closed = left.filter(isClosed);
    const blocks = states.size === 1 || prefix === '' ? [] : toBlocks(prefix);
    const probe = left.find((state) => needsProbe(state, time)) ?? (closed.length === 0 ? lastResort(left) : undefined);
    if (probe) return use(probe, blocks, true);
    const match = tokens !== undefined && knowsAll(places, closed) ? places.match(tokens, time) : undefined;
    const candidates = closed.map((state) => toCandidate(state, time));
    const id = chooseEndpoint({ candidates, blocks, ...memory, matched: match?.matched });
    const chosen = closed.find(({ endpoint }) => endpoint.id === id);
    if (chosen === undefined) return undefined;
    match?.expect(chosen.endpoint.id);
    return use(chosen, blocks, false);
  }

  function update(endpoints: readonly Endpoint[]): void {
    const kept = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, { endpoint }] of states) {
      if (kept.get(id) === undefined || !isSame(endpoint, kept.get(id))) remove(id);
    }
    for (const endpoint of endpoints) {
      if (states.has(endpoint.id)) continue;
      states.set(endpoint.id, newEndpointState(endpoint));
      checks.add(endpoint);
      places.add(endpoint);
    }
  }

  function remove(id: string): void {
    states.delete(id);
    memory.forget(id);
    checks.remove(id);
    places.remove(id);
  }

  update(first);
  function close(): void {
    checks.close();
    places.close();
  }
  return { choose, tokenizer, update, close };
}

function isClosed({ circuit }: EndpointState): boolean {
  return circuit.state === 'closed';
}

function knowsAll(places: TokenPlaces, states: readonly EndpointState[]): boolean {
  return places.knowsAll(states.map(({ endpoint }) => endpoint.id));
}

function leastUsed(states: readonly EndpointState[]): EndpointState {
  return states.reduce((best, one) => (one.inFlight < best.inFlight ? one : best));
}

/** No circuit is closed. Requests are not refused for that: they try the endpoint that has the fewest of them. */
function lastResort(left: readonly EndpointState[]): EndpointState | undefined {
  const untilOf = ({ circuit }: EndpointState): number => (circuit.state === 'open' ? circuit.until : 0);
  const [first] = left.toSorted((a, b) => a.inFlight - b.inFlight || untilOf(a) - untilOf(b));
  return first;
}

function toCandidate(state: EndpointState, now: number): Candidate {
  const { endpoint, isLocal } = state;
  return { id: endpoint.id, load: loadOf(state, now), isFull: isFullNow(state, now), isLocal };
}

/** An endpoint whose key, kind or authority has changed starts from the beginning: what failed may work now. */
function isSame(one: Endpoint, other: Endpoint | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
