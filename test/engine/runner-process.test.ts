// The server side of a runner, with real child processes that each misbehave in one way.

import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { type RunnerProcess, startRunner } from '../../src/inference/engine/process/runner-process.ts';
import type { AnswerEvent } from '../../src/inference/model/answer-event.ts';
import type { GenerateCommand, LoadCommand } from '../../src/inference/protocol/messages.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';
import { isAlive } from '../support/processes.ts';

const running: RunnerProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((runner) => runner.stop()));
});

function start(name: string, loadTimeout = 10_000): RunnerProcess {
  const runner = startRunner({ script: fixtureRunner(name), clock: systemClock, logger: silentLogger, loadTimeout });
  running.push(runner);
  return runner;
}

const load = { type: 'load' } as LoadCommand;
const command = {} as Omit<GenerateCommand, 'type' | 'id'>;
const never = new AbortController().signal;

async function ask(runner: RunnerProcess, signal = never): Promise<string> {
  let answer = '';
  for await (const event of runner.generate(command, signal)) if (event.type === 'tokens') answer += event.text;
  return answer;
}

test('a correct runner', async () => {
  const runner = start('well-behaved');
  expect(await runner.load(load)).toMatchObject({ engine: 'fixture' });
  expect(await Promise.all([ask(runner), ask(runner)])).toEqual(['ok', 'ok']);
  expect(await Promise.all([runner.countTokens('abc'), runner.countTokens('')])).toEqual([3, 0]);
  await runner.stop();
  expect(await runner.exited).toBeUndefined();
  await expect(runner.countTokens('abc')).rejects.toMatchObject({ code: 'runner_died' });
  expect(isAlive(runner.pid)).toBe(false);
});

describe('loading', () => {
  test('a runner that is never ready is killed', async () => {
    const runner = start('never-ready', 500);
    await expect(runner.load(load)).rejects.toThrow('timed out waiting for llama runner to start');
    await runner.exited;
    expect(isAlive(runner.pid)).toBe(false);
  });

  test('a crash is reported with the last output', async () => {
    await expect(start('crashes-on-load').load(load)).rejects.toMatchObject({
      code: 'runner_died',
      message: expect.stringContaining('error: out of memory'),
    });
  });

  test('a missing script is an error', async () => {
    await expect(start('no-such-runner').load(load)).rejects.toMatchObject({ code: 'runner_died' });
  });
});

describe('answering', () => {
  test('a crash during an answer: the text so far, then the error', async () => {
    const runner = start('crashes-in-mid-stream');
    await runner.load(load);
    const events: AnswerEvent['type'][] = [];
    const consume = async (): Promise<void> => {
      for await (const event of runner.generate(command, never)) events.push(event.type);
    };
    await expect(consume()).rejects.toThrow('llama runner process has terminated: signal SIGKILL');
    expect(events).toEqual(['started', 'tokens']);
    await expect(ask(runner)).rejects.toMatchObject({ code: 'runner_died' });
  });

  test.each([
    ['sends-garbage', 'it sent an invalid frame'],
    ['sends-nonsense', 'it sent "text" out of order'],
    ['floods', 'a frame of more than'],
  ])('a runner that %s is killed', async (name, message) => {
    const runner = start(name);
    await runner.load(load);
    await expect(ask(runner)).rejects.toThrow(message);
    await runner.exited;
    expect(isAlive(runner.pid)).toBe(false);
  });

  test('cancellation ends the request at once', async () => {
    const runner = start('never-ready');
    const controller = new AbortController();
    const answer = ask(runner, controller.signal);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });
});

test('a runner that ignores shutdown is killed', async () => {
  const runner = start('ignores-the-end');
  await runner.load(load);
  await runner.stop();
  expect(isAlive(runner.pid)).toBe(false);
});
