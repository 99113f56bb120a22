// The residency machine under long random sequences of events, checked by an independent simulation of its environment
// (test/support/residency/residency-simulation.ts).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createSimulation,
  type SimulatedCaller,
  type SimulatedModel,
  type Simulation,
} from '../../../../test/support/residency/residency-simulation.ts';
import { estimateOf, residencyLimits, sizes } from '../../../../test/support/residency/simple-simulation.ts';
import { thoroughly } from '../../../../test/support/thorough.ts';
import { HearthError } from '../../../base/errors.ts';

const crash = new HearthError('runner_died', 'llama runner process has terminated: signal SIGKILL');
const badFile = new HearthError('load_failed', 'not a usable GGUF file');

/** One event; `pick` selects the model or caller that it happens to. */
interface Step {
  readonly kind: (typeof kinds)[number];
  readonly pick: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly keepAlive: number | undefined;
  readonly client: string;
  readonly milliseconds: number;
}

const clients = ['', 'x', 'y'];

const kinds = [
  ...['request', 'request', 'request', 'estimate', 'estimate', 'begin', 'begin', 'release', 'release'],
  ...['finishLoad', 'finishLoad', 'failLoad', 'crashLoad', 'exit', 'exit', 'die', 'leave', 'unload', 'pass'],
  ...['finishSleep', 'finishSleep', 'failSleep', 'pass'],
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(),
  key: fc.constantFrom(...Object.keys(sizes)),
  fingerprint: fc.constantFrom('', '', 'other', 'f16 10', 'f16 20'),
  keepAlive: fc.constantFrom(undefined, undefined, 0, 20, 500, Number.POSITIVE_INFINITY),
  client: fc.constantFrom(...clients),
  milliseconds: fc.constantFrom(1, 10, 60, 2000),
});

function apply(simulation: Simulation, event: Step): void {
  const { kind, pick, key, fingerprint, keepAlive, client, milliseconds } = event;
  const caller = (...outcomes: SimulatedCaller['outcome'][]): SimulatedCaller | undefined =>
    pickOf(
      simulation.callers.filter(({ outcome }) => outcomes.includes(outcome)),
      pick,
    );
  const model = (matches: (model: SimulatedModel) => boolean): SimulatedModel | undefined =>
    pickOf(simulation.models.filter(matches), pick);
  const steps: Record<string, () => void> = {
    request: () => simulation.request(key, fingerprint, keepAlive, client),
    estimate: () => doTo(pickOf(unestimated(simulation), pick), simulation.estimate),
    begin: () => doTo(caller('granted'), simulation.begin),
    release: () => doTo(caller('granted', 'begun', 'evicted'), simulation.release),
    leave: () => doTo(caller('waiting'), simulation.leave),
    finishLoad: () => doTo(model(isLoading), simulation.finishLoad),
    failLoad: () => doTo(model(isFirstLoad), (it) => simulation.failLoad(it, badFile)),
    crashLoad: () => doTo(model(isFirstLoad), (it) => simulation.failLoad(it, crash)),
    finishSleep: () => doTo(model(isFallingAsleep), simulation.finishSleep),
    failSleep: () =>
      doTo(
        model((it) => isFallingAsleep(it) || (isLoading(it) && !isFirstLoad(it))),
        simulation.failSleep,
      ),
    exit: () =>
      doTo(
        model(({ stopping }) => stopping),
        simulation.exit,
      ),
    die: () =>
      doTo(pick % 4 === 0 ? model(({ loaded, sleep }) => loaded || sleep !== undefined) : undefined, simulation.exit),
    unload: () => simulation.unload(key),
    pass: () => simulation.pass(milliseconds),
  };
  steps[kind]?.();
}

const isLoading = ({ loaded, stopping, sleep }: SimulatedModel): boolean => !loaded && !stopping && sleep === undefined;
/** The others wake up. */
const isFirstLoad = (it: SimulatedModel): boolean => isLoading(it) && !it.hasLoaded;
const isFallingAsleep = ({ stopping, sleep }: SimulatedModel): boolean => !stopping && sleep === 'beginning';

const pickOf = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(list.length, 1)];
const doTo = <T>(it: T | undefined, action: (it: T) => void): void => void (it === undefined || action(it));
const unestimated = ({ callers }: Simulation): SimulatedCaller[] =>
  callers.filter(({ outcome, estimated }) => outcome === 'waiting' && !estimated);
const unsettled = ({ callers }: Simulation): SimulatedCaller[] =>
  callers.filter(({ outcome }) => ['waiting', 'granted', 'begun', 'evicted'].includes(outcome));

/**
 * Rounds until the first caller in line has its answer: loads that are under way finish, models in its way exit, its own
 * load finishes. Where models outgrow their estimates, room can still be short after that exit. Then one more model has
 * to exit, which takes one more round.
 */
const roundsPerCaller = 3;

/**
 * Clients take turns with loads, and callers of one client are served in order of arrival. So the bound for the first
 * caller in line grows with the number of clients, but not with the number of callers that wait after it. A bound on all
 * rounds together would have to grow with the number of callers: each of them may need a load of its own.
 */
function settle(simulation: Simulation, rounds: number): void {
  for (let [first] = unsettled(simulation); first !== undefined; [first] = unsettled(simulation)) {
    for (let round = 0; round < rounds && unsettled(simulation).includes(first); round++) {
      simulation.finishAll();
      simulation.pass(residencyLimits.patience);
    }
    expect(unsettled(simulation)).not.toContain(first);
  }
}

test('full queues for every model are served with room for one model at a time', () => {
  const simulation = createSimulation({ limits: { ...residencyLimits, maxLoaded: 1 }, estimateOf });
  const keys = Object.keys(sizes).filter((key) => estimateOf(key) <= residencyLimits.memoryBudget);
  for (let round = 0; round < residencyLimits.maxQueue; round++) for (const key of keys) simulation.request(key);
  simulation.pass(residencyLimits.patience);
  settle(simulation, roundsPerCaller);
  expect(new Set(simulation.callers.map(({ outcome }) => outcome))).toEqual(new Set(['released']));
});

describe('for any sequence of events', { timeout: 60_000 }, () => {
  const events = fc.array(step, { minLength: 50, maxLength: 400, size: 'max' });
  const anyLimits = fc.record({
    maxLoaded: fc.integer({ min: 1, max: 4 }),
    memoryBudget: fc.constantFrom(10, 12, 1000),
  });

  test('no rule is broken, every caller is answered, and every model can be unloaded', () => {
    fc.assert(
      fc.property(events, anyLimits, (steps, chosen) => {
        const simulation = createSimulation({ limits: { ...residencyLimits, ...chosen }, estimateOf });
        for (const one of steps) apply(simulation, one);
        settle(simulation, roundsPerCaller * clients.length);
        for (const key of Object.keys(sizes)) simulation.unload(key);
        simulation.finishAll();
        expect([simulation.models, simulation.state.models, simulation.state.callers]).toEqual([[], [], []]);
        expect(simulation.state.rotation).toEqual([]);
        expect(simulation.state.wakeAt).toBeUndefined();
      }),
      { numRuns: thoroughly(200, 80) },
    );
  });

  test('models that share a GPU sleep and wake up without breaking a rule', () => {
    const gpu = 'CUDA0';
    const anyBudgets = fc.record({
      maxLoaded: fc.integer({ min: 1, max: 4 }),
      memoryBudget: fc.constantFrom(10, 14, 1000),
      gpuBytes: fc.constantFrom(7, 10, 12),
    });
    let sleeps = 0;
    fc.assert(
      fc.property(events, anyBudgets, (steps, { gpuBytes, ...chosen }) => {
        const simulation = createSimulation({
          limits: { ...residencyLimits, ...chosen, deviceBudgets: new Map([[gpu, gpuBytes]]) },
          estimateOf,
          devicesOf: (key) => new Map([[gpu, Math.min(estimateOf(key), gpuBytes)]]),
          // The others cannot sleep.
          sleepingOf: (key) => ('abd'.includes(key) ? { sleepMs: 70, sleepBytes: estimateOf(key) + 1 } : undefined),
        });
        for (const one of steps) apply(simulation, one);
        sleeps += simulation.state.models.filter(({ sleep }) => sleep !== undefined).length;
        settle(simulation, (roundsPerCaller + 1) * clients.length);
        for (const key of Object.keys(sizes)) simulation.unload(key);
        simulation.finishAll();
        expect([simulation.models, simulation.state.models, simulation.state.callers]).toEqual([[], [], []]);
        expect(simulation.state.wakeAt).toBeUndefined();
      }),
      { numRuns: thoroughly(200, 80) },
    );
    expect(sleeps).toBeGreaterThan(0);
  });

  test('closing ends everything; running requests may continue until the deadline', () => {
    fc.assert(
      fc.property(events, fc.array(step, { maxLength: 50 }), (steps, afterwards) => {
        const simulation = createSimulation({ limits: residencyLimits, estimateOf });
        for (const one of steps) apply(simulation, one);
        simulation.close();
        expect(simulation.callers.filter(({ outcome }) => outcome === 'waiting')).toEqual([]);
        for (const one of afterwards) apply(simulation, one);
        simulation.deadline();
        for (const model of [...simulation.models]) simulation.exit(model);
        expect([unsettled(simulation), simulation.state.models, simulation.state.callers]).toEqual([[], [], []]);
      }),
      { numRuns: thoroughly(100, 40) },
    );
  });

  test('every caller is answered even if models are larger than estimated', () => {
    fc.assert(
      fc.property(events, (steps) => {
        const simulation = createSimulation({
          limits: residencyLimits,
          estimateOf,
          takes: (key) => estimateOf(key) * 1.5,
        });
        for (const one of steps) apply(simulation, one);
        settle(simulation, (roundsPerCaller + 1) * clients.length);
      }),
      { numRuns: thoroughly(100, 40) },
    );
  });
});
