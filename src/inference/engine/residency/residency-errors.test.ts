import { describe, expect, test } from 'vitest';
import { createSimpleSimulation, type SimpleSimulation } from '../../../../test/support/residency/simple-simulation.ts';
import { HearthError } from '../../../base/errors.ts';

const crash = new HearthError('runner_died', 'llama runner process has terminated: signal SIGKILL');
const badFile = new HearthError('load_failed', 'not a usable GGUF file');

describe('a runner that dies while it loads', () => {
  const attempt = ({ simulation, ask, model }: SimpleSimulation, error = crash): string => {
    const caller = ask('a');
    if (caller.outcome !== 'waiting') return 'refused';
    simulation.failLoad(model('a'), error);
    return 'tried';
  };

  test('is not started again for 1 s, 2 s, 4 s, up to a minute', () => {
    const fixture = createSimpleSimulation();
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(attempt(fixture)).toBe('tried');
      fixture.simulation.pass(seconds * 1000 - 1);
      expect(attempt(fixture)).toBe('refused');
      expect(fixture.simulation.callers.at(-1)?.error).toMatchObject({ code: crash.code, message: crash.message });
      fixture.simulation.pass(1);
    }
  });

  test('has no delay after a successful load', () => {
    const fixture = createSimpleSimulation();
    attempt(fixture);
    fixture.simulation.pass(1000);
    fixture.load('a', 0);
    fixture.simulation.exit(fixture.model('a'));
    expect(attempt(fixture)).toBe('tried');
    fixture.simulation.pass(1000);
    expect(attempt(fixture)).toBe('tried');
  });

  test('may be started with other options at once; a bad file is always tried', () => {
    const fixture = createSimpleSimulation();
    attempt(fixture);
    expect(fixture.ask('a', 'other').outcome).toBe('waiting');
    const bad = createSimpleSimulation();
    expect([attempt(bad, badFile), attempt(bad, badFile)]).toEqual(['tried', 'tried']);
  });
});

test('the rate at which requests begin says when to retry', () => {
  const { simulation, ask, use } = createSimpleSimulation({ maxQueue: 4 });
  simulation.begin(use('a'));
  const waiting = Array.from({ length: 4 }, () => ask('a'));
  for (const caller of waiting.slice(0, 3)) {
    simulation.pass(5000);
    simulation.begin(caller);
  }
  for (let more = 0; more < 3; more++) ask('a');
  expect(ask('a').error).toMatchObject({ code: 'busy', retryAfterSeconds: 20 });
});

test("a full queue: Ollama's text, and when to retry", () => {
  const { simulation, ask, use } = createSimpleSimulation({ maxQueue: 2 });
  simulation.begin(use('a'));
  ask('a');
  simulation.pass(2500);
  ask('a');
  // Callers of another model do not count.
  expect(ask('b').outcome).not.toBe('rejected');
  const { outcome, error } = ask('a');
  expect(outcome).toBe('rejected');
  expect(error).toMatchObject({
    code: 'busy',
    message: 'server busy, please try again.  maximum pending requests exceeded',
    retryAfterSeconds: 3,
  });
});
