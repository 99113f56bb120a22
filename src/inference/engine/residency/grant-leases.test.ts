import { describe, expect, test } from 'vitest';
import type { WorldCaller, WorldModel } from '../../../../test/support/residency/residency-world.ts';
import { createSimpleWorld, estimateOf, limits } from '../../../../test/support/residency/simple-world.ts';

describe('room', () => {
  test('is made by the model that was used least recently', () => {
    const { ask, load, present } = createSimpleWorld();
    for (const key of ['a', 'b', 'c', 'a']) load(key);
    ask('x');
    expect(present()).toEqual(['a', 'c']);
  });

  test('and among equals by the one with the shortest keep_alive', () => {
    const { world, ask, use, present } = createSimpleWorld({ memoryBudget: 100 });
    const held = [use('a', 500), use('b', 20), use('c', Number.POSITIVE_INFINITY)];
    for (const caller of held) world.release(caller);
    ask('x');
    expect(present()).toEqual(['a', 'c']);
  });

  test('costs no more models than it must', () => {
    const { ask, load, present } = createSimpleWorld({ maxLoaded: 4 });
    for (const key of ['a', 'c', 'b']) load(key);
    // Without c there is enough, and a may stay though it was used before that.
    ask('5');
    expect(present()).toEqual(['a', 'b']);
  });

  test('is not made for a model that can never have enough: both figures are told', () => {
    const { ask, load, present } = createSimpleWorld({ memoryBudget: 8 * 2 ** 30 });
    load('a');
    const { outcome, error } = ask('tooLarge');
    expect(outcome).toBe('rejected');
    expect(error).toMatchObject({
      code: 'load_failed',
      message: 'model requires more system memory (10.5 GiB) than is available (8.0 GiB)',
    });
    expect(present()).toEqual(['a']);
  });

  test('is not taken by those who came later, but whoever needs none is not kept waiting', () => {
    const { world, ask, use } = createSimpleWorld();
    const held = use('d');
    const large = ask('e');
    const small = ask('a');
    const again = ask('d');
    expect([large.outcome, small.outcome, again.outcome]).toEqual(['waiting', 'waiting', 'granted']);
    world.release(again);
    world.release(held);
    world.exit(world.models[0] as WorldModel);
    expect(world.loads).toEqual(['d', 'e']);
  });

  test('what is left beside those who wait can be had', () => {
    const { ask, use, present } = createSimpleWorld();
    use('d');
    ask('d', 'other');
    ask('a');
    expect(present()).toEqual(['a', 'd']);
  });

  test('many who wait for one model need its room once', () => {
    const { ask, load, use, present } = createSimpleWorld();
    load('b');
    use('c');
    ask('5');
    ask('5');
    ask('x');
    expect(present()).toEqual(['c', 'x']);
  });

  test('a model that is in use all the time takes nobody new once somebody has waited too long', () => {
    const { world, ask, use } = createSimpleWorld();
    const first = use('d');
    const starving = ask('e');
    world.pass(limits.patience - 1);
    const second = ask('d');
    expect(second.outcome).toBe('granted');
    world.pass(1);
    const third = ask('d');
    expect(third.outcome).toBe('waiting');
    world.release(first);
    expect(starving.outcome).toBe('waiting');
    world.release(second);
    world.finishAll();
    world.finishAll();
    expect(starving.outcome).toBe('released');
  });

  test('and it stays that one, though others are used less meanwhile', () => {
    const { world, ask, use } = createSimpleWorld({ maxLoaded: 2 });
    const held = [use('a'), use('a'), use('b')];
    ask('c');
    world.pass(limits.patience);
    world.release(held[0] as WorldCaller);
    expect([ask('a').outcome, ask('b').outcome]).toEqual(['waiting', 'granted']);
  });

  test('and takes them again when that one has left', () => {
    const { world, ask, use } = createSimpleWorld();
    use('d');
    const starving = ask('e');
    world.pass(limits.patience);
    const next = ask('d');
    expect(next.outcome).toBe('waiting');
    world.leave(starving);
    expect(next.outcome).toBe('granted');
  });

  test('a model that turns out larger drives idle ones out, one that turns out smaller leaves room', () => {
    const larger = createSimpleWorld({}, (key) => (key === 'c' ? 6 : estimateOf(key)));
    for (const key of ['a', 'b']) larger.load(key);
    larger.use('c');
    expect(larger.present()).toEqual(['b', 'c']);
    const smaller = createSimpleWorld({}, () => 1);
    for (const key of ['d', 'c']) smaller.load(key);
    smaller.ask('d', 'other');
    expect(smaller.present()).toEqual(['c']);
    smaller.world.exit(smaller.model('d'));
    expect(smaller.present()).toEqual(['c', 'd']);
  });
});

describe('a load', () => {
  test('that nobody waits for any more goes on, for whoever comes back', () => {
    const { world, ask, model } = createSimpleWorld();
    world.leave(ask('a'));
    expect(world.models).toMatchObject([{ key: 'a', stopping: false }]);
    world.finishLoad(model('a'));
    world.pass(49);
    expect(ask('a').outcome).toBe('granted');
    expect(world.loads).toEqual(['a']);
  });

  test('but not if it would be unloaded at once, or its room is needed', () => {
    const { world, ask, present } = createSimpleWorld();
    world.leave(ask('a', '', 0));
    expect(present()).toEqual([]);
    world.leave(ask('d'));
    ask('e');
    expect(present()).toEqual([]);
  });

  test('does not keep anybody from a model that is loaded', () => {
    const { world, ask, load } = createSimpleWorld();
    load('a');
    const slow = ask('b');
    expect(ask('a').outcome).toBe('granted');
    expect(slow.outcome).toBe('waiting');
    expect(world.loads).toEqual(['a', 'b']);
  });

  test('with other options waits for those who have the model, and they for nobody once its caller has left', () => {
    const { world, ask, use } = createSimpleWorld();
    use('a');
    const other = ask('a', 'other');
    const same = ask('a');
    expect([other.outcome, same.outcome]).toEqual(['waiting', 'waiting']);
    world.leave(other);
    expect(same.outcome).toBe('granted');
    expect(world.loads).toEqual(['a']);
  });
});
