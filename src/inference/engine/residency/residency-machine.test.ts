// The machine under long random lives, in a world that keeps its own books (testing/residency-world.ts).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createWorld,
  type World,
  type WorldCaller,
  type WorldModel,
} from '../../../../test/support/residency/residency-world.ts';
import { estimateOf, limits, sizes } from '../../../../test/support/residency/simple-world.ts';
import { HearthError } from '../../../base/errors.ts';

const crash = new HearthError('runner_died', 'llama runner process has terminated: signal SIGKILL');
const badFile = new HearthError('load_failed', 'not a usable GGUF file');

/** One thing that happens; `pick` says to whom of those that it can happen to. */
interface Step {
  readonly kind: (typeof kinds)[number];
  readonly pick: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly keepAlive: number | undefined;
  readonly milliseconds: number;
}

const kinds = [
  ...['request', 'request', 'request', 'estimate', 'estimate', 'begin', 'begin', 'release', 'release'],
  ...['finishLoad', 'finishLoad', 'failLoad', 'crashLoad', 'exit', 'exit', 'die', 'leave', 'unload', 'pass'],
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(),
  key: fc.constantFrom(...Object.keys(sizes)),
  fingerprint: fc.constantFrom('', '', 'other'),
  keepAlive: fc.constantFrom(undefined, undefined, 0, 20, 500, Number.POSITIVE_INFINITY),
  milliseconds: fc.constantFrom(1, 10, 60, 2000),
});

function take(world: World, { kind, pick, key, fingerprint, keepAlive, milliseconds }: Step): void {
  const caller = (...outcomes: WorldCaller['outcome'][]): WorldCaller | undefined =>
    pickOf(
      world.callers.filter(({ outcome }) => outcomes.includes(outcome)),
      pick,
    );
  const model = (suits: (model: WorldModel) => boolean): WorldModel | undefined =>
    pickOf(world.models.filter(suits), pick);
  const steps: Record<string, () => void> = {
    request: () => world.request(key, fingerprint, keepAlive),
    estimate: () => doTo(pickOf(unestimated(world), pick), world.estimate),
    begin: () => doTo(caller('granted'), world.begin),
    release: () => doTo(caller('granted', 'begun'), world.release),
    leave: () => doTo(caller('waiting'), world.leave),
    finishLoad: () =>
      doTo(
        model(({ loaded, stopping }) => !loaded && !stopping),
        world.finishLoad,
      ),
    failLoad: () =>
      doTo(
        model(({ loaded, stopping }) => !loaded && !stopping),
        (it) => world.failLoad(it, badFile),
      ),
    crashLoad: () =>
      doTo(
        model(({ loaded, stopping }) => !loaded && !stopping),
        (it) => world.failLoad(it, crash),
      ),
    exit: () =>
      doTo(
        model(({ stopping }) => stopping),
        world.exit,
      ),
    die: () => doTo(pick % 4 === 0 ? model(({ loaded }) => loaded) : undefined, world.exit),
    unload: () => world.unload(key),
    pass: () => world.pass(milliseconds),
  };
  steps[kind]?.();
}

const pickOf = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(list.length, 1)];
const doTo = <T>(it: T | undefined, action: (it: T) => void): void => void (it === undefined || action(it));
const unestimated = ({ callers }: World): WorldCaller[] =>
  callers.filter(({ outcome, estimated }) => outcome === 'waiting' && !estimated);
const unsettled = ({ callers }: World): WorldCaller[] =>
  callers.filter(({ outcome }) => ['waiting', 'granted', 'begun'].includes(outcome));

/**
 * Turns until the first caller in line has its answer: loads that are under way finish, models in its way exit, its own
 * load finishes. Where models outgrow their estimates, room can still be short after that exit. Then one more model has
 * to exit, which takes one more turn.
 */
const turnsPerCaller = 3;

/**
 * Loads go by order of arrival, so the bound holds for the first caller in line, however many wait behind it. A bound
 * on all turns together would have to grow with the number of callers: each of them may need a load of its own.
 */
function settle(world: World, turns: number): void {
  for (let [first] = unsettled(world); first !== undefined; [first] = unsettled(world)) {
    for (let turn = 0; turn < turns && unsettled(world).includes(first); turn++) {
      world.finishAll();
      world.pass(limits.patience);
    }
    expect(unsettled(world)).not.toContain(first);
  }
}

test('full queues for every model are served with room for one model at a time', () => {
  const world = createWorld({ limits: { ...limits, maxLoaded: 1 }, estimateOf });
  const keys = Object.keys(sizes).filter((key) => estimateOf(key) <= limits.memoryBudget);
  for (let round = 0; round < limits.maxQueue; round++) for (const key of keys) world.request(key);
  world.pass(limits.patience);
  settle(world, turnsPerCaller);
  expect(new Set(world.callers.map(({ outcome }) => outcome))).toEqual(new Set(['released']));
});

describe('whatever happens', { timeout: 60_000 }, () => {
  const life = fc.array(step, { minLength: 50, maxLength: 400, size: 'max' });
  const anyLimits = fc.record({
    maxLoaded: fc.integer({ min: 1, max: 4 }),
    memoryBudget: fc.constantFrom(10, 12, 1000),
  });

  test('no rule is broken, and in the end everybody has got an answer and every model is gone', () => {
    fc.assert(
      fc.property(life, anyLimits, (steps, chosen) => {
        const world = createWorld({ limits: { ...limits, ...chosen }, estimateOf });
        for (const one of steps) take(world, one);
        settle(world, turnsPerCaller);
        for (const key of Object.keys(sizes)) world.unload(key);
        world.finishAll();
        expect([world.models, world.state.models, world.state.callers]).toEqual([[], [], []]);
        expect(world.state.wakeAt).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test('closing ends it all, with running requests up to the deadline and no further', () => {
    fc.assert(
      fc.property(life, fc.array(step, { maxLength: 50 }), (steps, afterwards) => {
        const world = createWorld({ limits, estimateOf });
        for (const one of steps) take(world, one);
        world.close();
        expect(world.callers.filter(({ outcome }) => outcome === 'waiting')).toEqual([]);
        for (const one of afterwards) take(world, one);
        world.deadline();
        for (const model of [...world.models]) world.exit(model);
        expect([unsettled(world), world.state.models, world.state.callers]).toEqual([[], [], []]);
      }),
      { numRuns: 100 },
    );
  });

  test('models that turn out larger than they were thought to be strand nobody either', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const world = createWorld({ limits, estimateOf, takes: (key) => estimateOf(key) * 1.5 });
        for (const one of steps) take(world, one);
        settle(world, turnsPerCaller + 1);
      }),
      { numRuns: 100 },
    );
  });
});
