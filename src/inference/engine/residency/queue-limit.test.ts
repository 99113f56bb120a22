import { describe, expect, test } from 'vitest';
import type { SimulatedCaller } from '../../../../test/support/residency/residency-simulation.ts';
import { createSimpleSimulation } from '../../../../test/support/residency/simple-simulation.ts';

/** A loaded model, whose runner has a request of a client of its own. */
function busyModel(maxQueue: number) {
  const fixture = createSimpleSimulation({ maxQueue });
  fixture.simulation.begin(fixture.use('a'));
  const askTimes = (client: string, times: number): SimulatedCaller[] =>
    Array.from({ length: times }, () => fixture.askAs(client, 'a'));
  return { ...fixture, askTimes };
}

const outcomesOf = (callers: readonly SimulatedCaller[]): string[] => callers.map(({ outcome }) => outcome);

describe('a full queue', () => {
  test('the client with the most waiting requests loses its newest one to another client', () => {
    const { askAs, askTimes } = busyModel(3);
    const many = askTimes('many', 3);
    expect(askAs('one', 'a').outcome).toBe('granted');
    expect(outcomesOf(many)).toEqual(['granted', 'granted', 'evicted']);
    expect(many[2]?.error).toMatchObject({
      code: 'busy',
      message: 'server busy, please try again.  maximum pending requests exceeded',
      retryAfterSeconds: 1,
    });
  });

  test('also while the model loads', () => {
    const { simulation, askAs } = createSimpleSimulation({ maxQueue: 2 });
    const many = [askAs('many', 'a'), askAs('many', 'a')];
    const other = askAs('one', 'a');
    expect(outcomesOf([...many, other])).toEqual(['waiting', 'rejected', 'waiting']);
    for (let round = 0; round < 3; round++) simulation.finishAll();
    expect(outcomesOf([...many, other])).toEqual(['released', 'rejected', 'released']);
  });

  test('a client with as many waiting requests is rejected itself', () => {
    const { askAs, askTimes } = busyModel(4);
    const waiting = [...askTimes('x', 2), ...askTimes('y', 2)];
    expect(askAs('x', 'a').outcome).toBe('rejected');
    expect(outcomesOf(waiting)).toEqual(Array(4).fill('granted'));
  });

  test('two clients do not replace the requests of each other again and again', () => {
    const { askTimes } = busyModel(4);
    const waiting = askTimes('x', 4);
    waiting.push(...askTimes('y', 10));
    const kept = waiting.filter(({ outcome }) => outcome === 'granted');
    expect(kept.map(({ client }) => client)).toEqual(['x', 'x', 'y', 'y']);
    expect(outcomesOf(askTimes('x', 10))).toEqual(Array(10).fill('rejected'));
    expect(outcomesOf(kept)).toEqual(Array(4).fill('granted'));
  });

  test('with a single place, it goes to the client with fewer running requests', () => {
    const { simulation, askAs, model } = createSimpleSimulation({ maxQueue: 1 });
    const running = askAs('x', 'a');
    simulation.finishLoad(model('a'));
    simulation.begin(running);
    const waiting = askAs('x', 'a');
    const other = askAs('y', 'a');
    expect(outcomesOf([waiting, other])).toEqual(['evicted', 'granted']);
    const reserved = askAs('x', 'a');
    expect(outcomesOf([askAs('x', 'a'), reserved, askAs('z', 'a'), other])).toEqual([
      'rejected',
      'evicted',
      'granted',
      'granted',
    ]);
  });

  test('a client without a waiting request has a place beside a crowd of clients, while there are reserved ones', () => {
    const { askAs } = busyModel(3);
    const crowd = ['p', 'q', 'r'].map((client) => askAs(client, 'a'));
    expect(outcomesOf([askAs('p', 'a'), askAs('one', 'a'), askAs('one', 'a')])).toEqual([
      'rejected',
      'granted',
      'rejected',
    ]);
    expect(outcomesOf(['s', 't', 'u'].map((client) => askAs(client, 'a')))).toEqual(['granted', 'granted', 'rejected']);
    expect(outcomesOf(crowd)).toEqual(Array(3).fill('granted'));
  });

  test('requests for other models do not count', () => {
    const { askAs, askTimes } = busyModel(2);
    for (const key of ['b', 'c', 'b', 'c']) askAs('one', key);
    const many = askTimes('many', 2);
    expect(askAs('one', 'a').outcome).toBe('granted');
    expect(outcomesOf(many)).toEqual(['granted', 'evicted']);
  });
});

test('an evicted caller holds its model until it has released it', () => {
  const { simulation, askAs, askTimes, model } = busyModel(2);
  const [, evicted] = askTimes('many', 2) as [SimulatedCaller, SimulatedCaller];
  askAs('one', 'a');
  for (const caller of simulation.callers.filter(({ outcome }) => outcome === 'granted')) simulation.begin(caller);
  for (const caller of simulation.callers.filter(({ outcome }) => outcome === 'begun')) simulation.release(caller);
  simulation.unload('a');
  expect(model('a').stopping).toBe(false);
  simulation.release(evicted);
  expect(model('a').stopping).toBe(true);
});
