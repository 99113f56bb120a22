import { describe, expect, test } from 'vitest';
import type { SimulatedCaller } from '../../../../test/support/residency/residency-simulation.ts';
import { createSimpleSimulation, residencyLimits } from '../../../../test/support/residency/simple-simulation.ts';

const hold = residencyLimits.reloadHoldMs;

function setUp() {
  const simple = createSimpleSimulation({ defaultKeepAliveMs: 1e6 });
  const { simulation, askAs, model } = simple;
  /** Asks, and finishes loads and requests, unless the caller still has to wait. */
  const use = (client: string, fingerprint: string): SimulatedCaller => {
    const caller = askAs(client, 'a', fingerprint);
    finish(caller);
    return caller;
  };
  const finish = (caller: SimulatedCaller): void => {
    for (let round = 0; round < 3 && caller.outcome === 'waiting'; round++) {
      const present = model('a');
      if (present?.stopping) simulation.exit(present);
      else if (present && !present.loaded) simulation.finishLoad(present);
      simulation.callers.filter(({ outcome }) => outcome === 'granted').forEach(simulation.release);
    }
    if (caller.outcome === 'granted') simulation.release(caller);
  };
  const useFor = (client: string, keepAlive: number | undefined): void => {
    const caller = simulation.request('a', 'f16 4096', keepAlive, client);
    if (caller.outcome === 'waiting') simulation.estimate(caller);
    finish(caller);
  };
  return { ...simple, use, useFor, finish };
}

describe('a model that serves another client', () => {
  test('is used as it is for a shorter context', () => {
    const { use, simulation } = setUp();
    use('ordinary', 'f16 4096');
    for (const context of [2048, 1024, 4096, 7]) expect(use('greedy', `f16 ${context}`).outcome).toBe('released');
    expect(simulation.loads).toHaveLength(1);
  });

  test('is not reloaded for a longer one within the minimum time; then it is, and the other client uses it', () => {
    const { use, finish, simulation } = setUp();
    use('ordinary', 'f16 4096');
    const longer = use('greedy', 'f16 8192');
    expect(longer.outcome).toBe('waiting');
    for (let time = 0; time < hold - 1; time++) {
      expect(use('ordinary', 'f16 4096').outcome).toBe('released');
      simulation.pass(1);
    }
    expect([longer.outcome, simulation.loads.length]).toEqual(['waiting', 1]);
    simulation.pass(1);
    finish(longer);
    expect([longer.outcome, simulation.loads.length]).toEqual(['released', 2]);
    expect(use('ordinary', 'f16 4096').outcome).toBe('released');
    expect(simulation.loads).toHaveLength(2);
  });

  test('is reloaded when the other client has not used it for the minimum time', () => {
    const { use, simulation } = setUp();
    use('ordinary', 'f16 4096');
    simulation.pass(hold);
    expect(use('greedy', 'q8_0 4096').outcome).toBe('released');
  });

  test('is not reloaded while its load is under way', () => {
    const { askAs, simulation, model } = setUp();
    const first = askAs('ordinary', 'a', 'f16 4096');
    const second = askAs('greedy', 'a', 'q8_0 4096');
    simulation.pass(5 * hold);
    simulation.finishLoad(model('a'));
    expect([first.outcome, second.outcome, model('a').stopping]).toEqual(['granted', 'waiting', false]);
    simulation.release(first);
    expect(model('a').stopping).toBe(false);
    simulation.pass(hold);
    expect(model('a').stopping).toBe(true);
  });
});

describe('the time that a model stays', () => {
  const long = 1000;

  test('is not shortened by another client within the minimum time', () => {
    const { useFor, simulation } = setUp();
    useFor('ordinary', long);
    useFor('greedy', 0);
    expect(simulation.state.models).toMatchObject([{ keepAlive: long, stopping: false }]);
    simulation.pass(hold);
    useFor('greedy', 0);
    expect(simulation.state.models).toMatchObject([{ stopping: true }]);
  });

  test('is the default at least for a client that does not ask for one', () => {
    const { useFor, simulation, model } = setUp();
    const greedy = simulation.request('a', 'f16 4096', 0, 'greedy');
    simulation.estimate(greedy);
    simulation.finishLoad(model('a'));
    useFor('ordinary', undefined);
    simulation.release(greedy);
    expect(simulation.state.models).toMatchObject([{ keepAlive: 1e6, stopping: false }]);
  });

  test('is what the client asks for that is alone', () => {
    const { useFor, simulation } = setUp();
    useFor('alone', long);
    useFor('alone', undefined);
    expect(simulation.state.models).toMatchObject([{ keepAlive: long }]);
    useFor('alone', 0);
    expect(simulation.state.models).toMatchObject([{ stopping: true }]);
  });
});

describe('an unload', () => {
  test.each<[string | undefined, boolean]>([
    ['ordinary', true],
    ['greedy', false],
    [undefined, true],
  ])('by %s', (client, isUnloaded) => {
    const { use, simulation } = setUp();
    use('ordinary', 'f16 4096');
    simulation.unload('a', client);
    expect(simulation.state.models).toMatchObject([{ stopping: isUnloaded }]);
  });
});

test('a client has its model back at once, and the one that took it waits longer each time', () => {
  const { use, askAs, finish, simulation } = setUp();
  const waits: number[] = [];
  use('ordinary', 'f16 1');
  for (let round = 0; round < 3; round++) {
    const greedy = askAs('greedy', 'a', `other${round} 1`);
    const since = simulation.time;
    while (greedy.outcome === 'waiting') {
      simulation.pass(1);
      use('ordinary', 'f16 1');
      finish(greedy);
    }
    waits.push(Math.round((simulation.time - since) / hold));
    expect(use('ordinary', 'f16 1').outcome).toBe('released');
  }
  expect(waits).toEqual([1, 2, 3]);
});

test('a client alone has any options at once', () => {
  const { use, simulation } = setUp();
  for (const fingerprint of ['f16 4096', 'f16 2048', 'f16 8192', 'q8_0 1'])
    expect(use('alone', fingerprint).outcome).toBe('released');
  expect(simulation.loads).toHaveLength(4);
});
