import { expect, test, vi } from 'vitest';
import type { PullBody } from '../../src/server/dialects/hearth/status/pulls-schema.ts';
import { type Pull, type PullRequests, Pulls } from './pulls.ts';
import { rateOf, sumOf } from './transfer-progress.ts';

const started_at = '2026-11-18T00:00:00Z';
const running = (completed: number): PullBody => ({
  ...{ id: '1', model: 'm', state: 'running', status: 'downloading', total: 100_000, completed, started_at },
});

/** A server whose list is read once for each of these answers. */
function createTestPulls(...answers: readonly (readonly PullBody[])[]) {
  const rest = [...answers];
  const asked: unknown[] = [];
  let refusal: Error | undefined;
  const answer = async (...question: readonly unknown[]): Promise<void> => {
    asked.push(question);
    if (refusal !== undefined) throw refusal;
  };
  const requests: PullRequests = {
    list: async () => ({ pulls: [...(rest.shift() ?? [])] }),
    start: (model, insecure) => answer('start', model, insecure),
    pause: (id) => answer('pause', id),
    remove: (id) => answer('remove', id),
  };
  let now = 0;
  const onDone = vi.fn();
  const pulls = new Pulls({ requests, monotonicMs: () => (now += 1000), onDone });
  return {
    pulls,
    asked,
    onDone,
    refuse(error: Error | undefined) {
      refusal = error;
    },
  };
}

const only = ({ list }: Pulls): Pull => list.value[0] as Pull;

test('a pull is started, followed and done; the models are read again once', async () => {
  const done: PullBody = { ...running(100_000), state: 'done', status: 'success' };
  const { pulls, asked, onDone } = createTestPulls([running(0)], [running(1000)], [running(2000)], [done], [done]);
  await pulls.start('m', { insecure: true });
  expect(asked).toEqual([['start', 'm', true]]);
  expect(pulls.isRunning).toBe(true);
  await pulls.refresh();
  await pulls.refresh();
  expect(sumOf(only(pulls).progress.files)).toEqual({ completed: 2000, total: 100_000 });
  expect(rateOf(only(pulls).progress)).toBe(1000);
  expect(onDone).not.toHaveBeenCalled();
  await pulls.refresh();
  await pulls.refresh();
  expect(only(pulls)).toMatchObject({ state: 'done', problem: '' });
  expect(onDone).toHaveBeenCalledOnce();
});

test('a pull of a command is not listed any more when it has ended, and may have brought a model', async () => {
  const { pulls, onDone } = createTestPulls([running(0)], []);
  await pulls.refresh();
  await pulls.refresh();
  expect(pulls.list.value).toEqual([]);
  expect(onDone).toHaveBeenCalledOnce();
});

test('a pull that failed has the sentence of the server', async () => {
  const { pulls } = createTestPulls([{ ...running(0), state: 'failed', error: 'no such model' }]);
  await pulls.refresh();
  expect(only(pulls)).toMatchObject({ state: 'failed', problem: 'no such model' });
});

test('a name that the server refuses is a sentence, and not a pull', async () => {
  const { pulls, refuse } = createTestPulls([], []);
  refuse(new Error('invalid model name'));
  await pulls.start('a b', { insecure: false });
  expect([pulls.problem.value, pulls.list.value]).toEqual(['invalid model name', []]);
  refuse(undefined);
  await pulls.start('m', { insecure: false });
  expect(pulls.problem.value).toBe('');
});

test('pulls are paused and removed by their id', async () => {
  const { pulls, asked } = createTestPulls([{ ...running(7), state: 'paused' }], []);
  await pulls.pause('1');
  expect(only(pulls)).toMatchObject({ state: 'paused' });
  await pulls.remove('1');
  expect(asked).toEqual([
    ['pause', '1'],
    ['remove', '1'],
  ]);
});
