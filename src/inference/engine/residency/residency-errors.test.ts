import { describe, expect, test } from 'vitest';
import { createSimpleWorld, type SimpleWorld } from '../../../../test/support/residency/simple-world.ts';
import { HearthError } from '../../../base/errors.ts';

const crash = new HearthError('runner_died', 'llama runner process has terminated: signal SIGKILL');
const badFile = new HearthError('load_failed', 'not a usable GGUF file');

describe('a runner that dies while it loads', () => {
  const attempt = ({ world, ask, model }: SimpleWorld, error = crash): string => {
    const caller = ask('a');
    if (caller.outcome !== 'waiting') return 'refused';
    world.failLoad(model('a'), error);
    return 'tried';
  };

  test('is not tried again for one second, two, four, up to a minute', () => {
    const rest = createSimpleWorld();
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(attempt(rest)).toBe('tried');
      rest.world.pass(seconds * 1000 - 1);
      expect(attempt(rest)).toBe('refused');
      expect(rest.world.callers.at(-1)?.error).toMatchObject({ code: crash.code, message: crash.message });
      rest.world.pass(1);
    }
  });

  test('is forgiven by a load that goes well', () => {
    const rest = createSimpleWorld();
    attempt(rest);
    rest.world.pass(1000);
    rest.load('a', 0);
    rest.world.exit(rest.model('a'));
    expect(attempt(rest)).toBe('tried');
    rest.world.pass(1000);
    expect(attempt(rest)).toBe('tried');
  });

  test('may be tried with other options; a bad file always', () => {
    const rest = createSimpleWorld();
    attempt(rest);
    expect(rest.ask('a', 'other').outcome).toBe('waiting');
    const bad = createSimpleWorld();
    expect([attempt(bad, badFile), attempt(bad, badFile)]).toEqual(['tried', 'tried']);
  });
});

test('too many who wait: the documented text, and when to come back', () => {
  const { world, ask, use } = createSimpleWorld({ maxQueue: 2 });
  world.begin(use('a'));
  ask('a');
  world.pass(2500);
  ask('a');
  // Those who wait for another model do not count.
  expect(ask('b').outcome).not.toBe('rejected');
  const { outcome, error } = ask('a');
  expect(outcome).toBe('rejected');
  expect(error).toMatchObject({
    code: 'busy',
    message: 'server busy, please try again.  maximum pending requests exceeded',
    retryAfterSeconds: 3,
  });
});
