import { expect, test } from 'vitest';
import { createSimpleSimulation, estimateOf } from '../../../../test/support/residency/simple-simulation.ts';
import { phaseOf } from './residency-state.ts';

const gpu = 'CUDA0';
const sleepMs = 500;

/** Models a, b and c take 2, 3 and 4 bytes of main memory, and all of the GPU. While they sleep, they take one byte more. */
function setUp(memoryBudget = 20) {
  const simple = createSimpleSimulation(
    { memoryBudget, maxLoaded: 1, deviceBudgets: new Map([[gpu, 8]]) },
    estimateOf,
    () => new Map([[gpu, 8]]),
    (key) => ({ sleepMs, sleepBytes: estimateOf(key) + 1 }),
  );
  const { simulation, model } = simple;
  const phase = (key: string): string | undefined => {
    const found = simulation.state.models.find((one) => one.key === key);
    return found && phaseOf(simulation.state, found);
  };
  const sleep = (key: string): void => {
    simple.load(key);
    simulation.pass(60);
    simulation.finishSleep(model(key));
  };
  return { ...simple, phase, sleep };
}

test('a model sleeps after its keep_alive, takes no GPU, and ends later', () => {
  const { simulation, sleep, phase } = setUp();
  sleep('a');
  expect(phase('a')).toBe('sleeping');
  expect(simulation.state.models[0]).toMatchObject({ bytes: 3, devices: new Map() });
  simulation.pass(sleepMs - 1);
  expect(phase('a')).toBe('sleeping');
  simulation.pass(2);
  expect(phase('a')).toBe('draining');
});

test('a request wakes it up, and is answered when it is awake', () => {
  const { simulation, sleep, phase, ask, model } = setUp();
  sleep('a');
  const callers = [ask('a'), ask('a')];
  expect([phase('a'), ...callers.map(({ outcome }) => outcome)]).toEqual(['loading', 'waiting', 'waiting']);
  simulation.finishLoad(model('a'));
  expect(callers.map(({ outcome }) => outcome)).toEqual(['granted', 'granted']);
  expect(simulation.loads).toEqual(['a']);
});

test('two models take turns on a GPU without being loaded again', () => {
  const { simulation, load, phase, ask, model } = setUp();
  load('a', 10_000);
  const second = ask('b');
  expect(phase('a')).toBe('sleeping');
  expect(phase('b')).toBeUndefined();
  simulation.finishSleep(model('a'));
  simulation.finishLoad(model('b'));
  expect(second.outcome).toBe('granted');
  simulation.release(second);
  const third = ask('a');
  simulation.finishSleep(model('b'));
  simulation.finishLoad(model('a'));
  expect([third.outcome, phase('b'), simulation.loads]).toEqual(['granted', 'sleeping', ['a', 'b']]);
});

test('a model whose main memory is needed is ended, asleep or not', () => {
  const { simulation, sleep, ask, phase, model } = setUp(6);
  sleep('a');
  ask('c');
  expect(phase('a')).toBe('draining');
  simulation.exit(model('a'));
  expect(phase('c')).toBe('loading');
  const other = setUp(6);
  other.load('a', 10_000);
  other.ask('6');
  expect(other.phase('a')).toBe('draining');
});

test('a model that has no room to sleep is ended', () => {
  const { simulation, load, phase } = setUp(2);
  load('a');
  simulation.pass(60);
  expect(phase('a')).toBe('draining');
});

test('a request for a model that is about to sleep waits, and wakes it up again', () => {
  const { simulation, load, ask, phase, model } = setUp();
  load('a');
  simulation.pass(60);
  const caller = ask('a');
  expect([phase('a'), caller.outcome]).toEqual(['sleeping', 'waiting']);
  simulation.finishSleep(model('a'));
  expect(phase('a')).toBe('loading');
  simulation.finishLoad(model('a'));
  expect(caller.outcome).toBe('granted');
});

test('requests for a model that does not wake up get another one', () => {
  const { simulation, sleep, ask, phase, model } = setUp();
  sleep('a');
  const caller = ask('a');
  simulation.failSleep(model('a'));
  expect([phase('a'), caller.outcome]).toEqual(['draining', 'waiting']);
  simulation.exit(model('a'));
  simulation.finishLoad(model('a'));
  expect([caller.outcome, simulation.loads]).toEqual(['granted', ['a', 'a']]);
});

test('keep_alive 0 and an unload end a model', () => {
  const { load, phase } = setUp();
  load('a', 0);
  expect(phase('a')).toBe('draining');
  const other = setUp();
  other.sleep('b');
  other.simulation.unload('b');
  expect(other.phase('b')).toBe('draining');
});
