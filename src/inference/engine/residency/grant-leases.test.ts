import { describe, expect, test } from 'vitest';
import type { SimulatedCaller, SimulatedModel } from '../../../../test/support/residency/residency-simulation.ts';
import {
  createSimpleSimulation,
  estimateOf,
  residencyLimits,
} from '../../../../test/support/residency/simple-simulation.ts';

describe('making room', () => {
  test('the least recently used model is stopped', () => {
    const { ask, load, present } = createSimpleSimulation();
    for (const key of ['a', 'b', 'c', 'a']) load(key);
    ask('x');
    expect(present()).toEqual(['a', 'c']);
  });

  test('among equally used models, the one with the shortest keep_alive is stopped', () => {
    const { simulation, ask, use, present } = createSimpleSimulation({ memoryBudget: 100 });
    const held = [use('a', 500), use('b', 20), use('c', Number.POSITIVE_INFINITY)];
    for (const caller of held) simulation.release(caller);
    ask('x');
    expect(present()).toEqual(['a', 'c']);
  });

  test('no more models are stopped than necessary', () => {
    const { ask, load, present } = createSimpleSimulation({ maxLoaded: 4 });
    for (const key of ['a', 'c', 'b']) load(key);
    // Stopping c is enough, so a stays although it was used earlier.
    ask('5');
    expect(present()).toEqual(['a', 'b']);
  });

  test('a model larger than the budget is rejected with both sizes, and nothing is stopped for it', () => {
    const { ask, load, present } = createSimpleSimulation({ memoryBudget: 8 * 2 ** 30 });
    load('a');
    const { outcome, error } = ask('tooLarge');
    expect(outcome).toBe('rejected');
    expect(error).toMatchObject({
      code: 'load_failed',
      message: 'model requires more system memory (10.5 GiB) than is available (8.0 GiB)',
    });
    expect(present()).toEqual(['a']);
  });

  test('a later caller does not take the room that an earlier one waits for, but gets a loaded model at once', () => {
    const { simulation, ask, use } = createSimpleSimulation();
    const held = use('d');
    const large = ask('e');
    const small = ask('a');
    const second = ask('d');
    expect([large.outcome, small.outcome, second.outcome]).toEqual(['waiting', 'waiting', 'granted']);
    simulation.release(second);
    simulation.release(held);
    simulation.exit(simulation.models[0] as SimulatedModel);
    expect(simulation.loads).toEqual(['d', 'e']);
  });

  test('room that no waiting caller needs can be used', () => {
    const { ask, use, present } = createSimpleSimulation();
    use('d');
    ask('d', 'other');
    ask('a');
    expect(present()).toEqual(['a', 'd']);
  });

  test('several callers of one model need its room once', () => {
    const { ask, load, use, present } = createSimpleSimulation();
    load('b');
    use('c');
    ask('5');
    ask('5');
    ask('x');
    expect(present()).toEqual(['c', 'x']);
  });

  test('a busy model accepts no new callers when another caller has waited too long', () => {
    const { simulation, ask, use } = createSimpleSimulation();
    const first = use('d');
    const starving = ask('e');
    simulation.pass(residencyLimits.patience - 1);
    const second = ask('d');
    expect(second.outcome).toBe('granted');
    simulation.pass(1);
    const third = ask('d');
    expect(third.outcome).toBe('waiting');
    simulation.release(first);
    expect(starving.outcome).toBe('waiting');
    simulation.release(second);
    simulation.finishAll();
    simulation.finishAll();
    expect(starving.outcome).toBe('released');
  });

  test('the closed model stays closed, even if another one is used less in the meantime', () => {
    const { simulation, ask, use } = createSimpleSimulation({ maxLoaded: 2 });
    const held = [use('a'), use('a'), use('b')];
    ask('c');
    simulation.pass(residencyLimits.patience);
    simulation.release(held[0] as SimulatedCaller);
    expect([ask('a').outcome, ask('b').outcome]).toEqual(['waiting', 'granted']);
  });

  test('a closed model accepts callers again when the waiting caller leaves', () => {
    const { simulation, ask, use } = createSimpleSimulation();
    use('d');
    const starving = ask('e');
    simulation.pass(residencyLimits.patience);
    const next = ask('d');
    expect(next.outcome).toBe('waiting');
    simulation.leave(starving);
    expect(next.outcome).toBe('granted');
  });

  test('a model larger than estimated stops idle models, a smaller one leaves room', () => {
    const larger = createSimpleSimulation({}, (key) => (key === 'c' ? 6 : estimateOf(key)));
    for (const key of ['a', 'b']) larger.load(key);
    larger.use('c');
    expect(larger.present()).toEqual(['b', 'c']);
    const smaller = createSimpleSimulation({}, () => 1);
    for (const key of ['d', 'c']) smaller.load(key);
    smaller.ask('d', 'other');
    expect(smaller.present()).toEqual(['c']);
    smaller.simulation.exit(smaller.model('d'));
    expect(smaller.present()).toEqual(['c', 'd']);
  });
});

describe('a load', () => {
  test('continues without callers, and serves a later one', () => {
    const { simulation, ask, model } = createSimpleSimulation();
    simulation.leave(ask('a'));
    expect(simulation.models).toMatchObject([{ key: 'a', stopping: false }]);
    simulation.finishLoad(model('a'));
    simulation.pass(49);
    expect(ask('a').outcome).toBe('granted');
    expect(simulation.loads).toEqual(['a']);
  });

  test('is canceled without callers if keep_alive is 0 or its room is needed', () => {
    const { simulation, ask, present } = createSimpleSimulation();
    simulation.leave(ask('a', '', 0));
    expect(present()).toEqual([]);
    simulation.leave(ask('d'));
    ask('e');
    expect(present()).toEqual([]);
  });

  test('does not delay callers of a loaded model', () => {
    const { simulation, ask, load } = createSimpleSimulation();
    load('a');
    const slow = ask('b');
    expect(ask('a').outcome).toBe('granted');
    expect(slow.outcome).toBe('waiting');
    expect(simulation.loads).toEqual(['a', 'b']);
  });

  test('with other options waits for the holders of the model, and blocks new ones until its caller leaves', () => {
    const { simulation, ask, use } = createSimpleSimulation();
    use('a');
    const other = ask('a', 'other');
    const same = ask('a');
    expect([other.outcome, same.outcome]).toEqual(['waiting', 'waiting']);
    simulation.leave(other);
    expect(same.outcome).toBe('granted');
    expect(simulation.loads).toEqual(['a']);
  });
});

describe('clients take turns with loads', () => {
  const one = { maxLoaded: 1 };

  test('a client with one request waits for one load of a client with many', () => {
    const { simulation, askAs } = createSimpleSimulation(one);
    for (const key of ['a', 'b', 'c', '1', '2']) askAs('many', key);
    askAs('single', '3');
    for (let round = 0; round < 20; round++) simulation.finishAll();
    expect(simulation.loads).toEqual(['a', 'b', '3', 'c', '1', '2']);
  });

  test('a client that asks again and again does not overtake one that waits', () => {
    const { simulation, askAs } = createSimpleSimulation(one);
    askAs('busy', 'a');
    askAs('patient', 'b');
    for (const key of ['c', '1', '2']) {
      askAs('busy', key);
      for (let round = 0; round < 3; round++) simulation.finishAll();
    }
    expect(simulation.loads.slice(0, 2)).toEqual(['a', 'b']);
  });

  test('room that the next client waits for is not given to another', () => {
    const { simulation, askAs, use } = createSimpleSimulation();
    const held = use('d');
    const large = askAs('first', 'e');
    const small = askAs('second', 'a');
    expect([large.outcome, small.outcome]).toEqual(['waiting', 'waiting']);
    simulation.release(held);
    simulation.exit(simulation.models[0] as SimulatedModel);
    expect(simulation.loads).toEqual(['d', 'e']);
  });
});
