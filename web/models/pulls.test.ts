import { expect, test, vi } from 'vitest';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import type { StreamPull } from '../api/stream-progress.ts';
import { type Pull, Pulls } from './pulls.ts';
import { sumOf } from './transfer-progress.ts';

const file = (completed: number): ProgressResponseBody => ({
  status: 'downloading',
  digest: 'd',
  total: 100,
  completed,
});

/** The server sends these parts. After them it waits for the end of the request, unless the last one is success. */
function serverWith(...answers: readonly (readonly (ProgressResponseBody | Error)[])[]): StreamPull {
  const rest = [...answers];
  return async function* stream(_body, signal) {
    for (const part of rest.shift() ?? []) {
      if (part instanceof Error) throw part;
      yield part;
      if (part.status === 'success') return;
    }
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  };
}

function createTestPulls(streamPull: StreamPull, stored: string | null = null) {
  const memory = {
    text: stored,
    read: () => memory.text,
    write(text: string) {
      memory.text = text;
    },
  };
  const onDone = vi.fn();
  return { pulls: new Pulls({ streamPull, monotonicMs: () => 0, memory, onDone }), memory, onDone };
}

const only = ({ list }: Pulls): Pull => list.value[0] as Pull;
const completed = (pulls: Pulls): number => sumOf(only(pulls).progress.files).completed;

test('a pull is paused, continued and done', async () => {
  const { pulls, memory, onDone } = createTestPulls(
    serverWith([file(40)], [file(40), file(100), { status: 'success' }]),
  );
  pulls.start('m', { insecure: true });
  await vi.waitFor(() => expect(completed(pulls)).toBe(40));
  pulls.pause('m');
  expect(only(pulls)).toMatchObject({ state: 'paused', insecure: true });
  expect(JSON.parse(memory.text ?? '')).toEqual([{ model: 'm', insecure: true }]);
  pulls.start('m', { insecure: true });
  await vi.waitFor(() => expect(only(pulls).state).toBe('done'));
  expect(completed(pulls)).toBe(100);
  expect(pulls.list.value).toHaveLength(1);
  expect(onDone).toHaveBeenCalledOnce();
  expect(memory.text).toBe('[]');
});

test('what arrives after a pause is not shown', async () => {
  const { pulls } = createTestPulls(serverWith([file(40), file(60)]));
  pulls.start('m', { insecure: false });
  pulls.pause('m');
  await Promise.resolve();
  expect(only(pulls)).toMatchObject({ state: 'paused', problem: '' });
  expect(completed(pulls)).toBe(0);
});

test('a pull that fails has the sentence of the server, and can be tried again', async () => {
  const { pulls } = createTestPulls(serverWith([new Error('no such model')], [{ status: 'success' }]));
  pulls.start('m', { insecure: false });
  await vi.waitFor(() => expect(only(pulls)).toMatchObject({ state: 'failed', problem: 'no such model' }));
  pulls.start('m', { insecure: false });
  expect(only(pulls)).toMatchObject({ state: 'running', problem: '' });
  await vi.waitFor(() => expect(only(pulls).state).toBe('done'));
});

test('a pull that is removed ends its request', async () => {
  let signal: AbortSignal | undefined;
  const stream: StreamPull = (body, abort) => {
    signal = abort;
    return serverWith([file(1)])(body, abort);
  };
  const { pulls, memory } = createTestPulls(stream);
  pulls.start('m', { insecure: false });
  pulls.start('m', { insecure: false });
  pulls.remove('m');
  expect(signal?.aborted).toBe(true);
  expect(pulls.list.value).toEqual([]);
  expect(memory.text).toBe('[]');
});

test.each([
  ['[{"model":"m","insecure":true}]', [{ model: 'm', insecure: true, state: 'paused' }]],
  ['[{"model":3},{}]', []],
  ['{', []],
  ['null', []],
])('the memory %s', (stored, expected) => {
  expect(createTestPulls(serverWith(), stored).pulls.list.value).toMatchObject(expected);
});
