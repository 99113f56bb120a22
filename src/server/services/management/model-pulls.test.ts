import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';

import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { parseModelName } from '../../../models/name.ts';
import type { ModelProgress } from './model-progress.ts';
import { ModelPulls } from './model-pulls.ts';
import type { PreparePull } from './prepare-pull.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-pulls-'));
const file = join(folder, 'pulls.json');
afterEach(() => rmSync(file, { force: true }));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const downloading = (completed: number): ModelProgress => ({
  status: 'downloading x',
  digest: 'x',
  total: 100,
  completed,
});

/** A registry whose pulls send these parts, and then wait for their end, unless the last part is success or an error. */
function createTestPulls(...runs: readonly (readonly (ModelProgress | Error)[])[]) {
  const rest = [...runs];
  const signals: AbortSignal[] = [];
  const prepare: PreparePull = ({ model }) => ({
    name: parseModelName(model),
    async *start(signal) {
      signals.push(signal);
      for (const part of rest.shift() ?? []) {
        if (part instanceof Error) throw part;
        yield part;
        if (part.status === 'success') return;
      }
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  });
  let ids = 0;
  const newId = (): string => String(++ids);
  const pulls = new ModelPulls({ prepare, file, newId, clock: createFakeClock(), logger: silentLogger });
  return { pulls, signals };
}

const input = { model: 'm', insecure: false };
const saved = (): unknown => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

test('a pull goes on without a caller, and is listed until it is removed', async () => {
  const { pulls } = createTestPulls([{ status: 'pulling manifest' }, downloading(40), { status: 'success' }]);
  expect(pulls.start(input)).toMatchObject({ id: '1', state: 'running' });
  expect(pulls.isRunning).toBe(true);
  await vi.waitFor(
    () => expect(pulls.list()).toMatchObject([{ state: 'done', progress: { total: 100, completed: 40 } }]),
    { timeout: 30_000 },
  );
  expect(pulls.isRunning).toBe(false);
  pulls.remove('1');
  expect(pulls.list()).toEqual([]);
  expect(() => pulls.remove('1')).toThrow('there is no pull "1"');
});

test('a pull that runs is not started twice; one that was paused is continued under its id', async () => {
  const { pulls, signals } = createTestPulls([downloading(40)], [downloading(60)]);
  pulls.start(input);
  await vi.waitFor(() => expect(pulls.list()[0]?.progress.completed).toBe(40), { timeout: 30_000 });
  expect(pulls.start({ model: 'm:latest', insecure: false }).id).toBe('1');
  expect(signals).toHaveLength(1);
  expect(pulls.pause('1')).toMatchObject({ state: 'paused', problem: '' });
  expect(signals[0]?.aborted).toBe(true);
  expect(pulls.start(input)).toMatchObject({ id: '1', state: 'running', progress: { completed: 40 } });
  await vi.waitFor(() => expect(pulls.list()[0]?.progress.completed).toBe(60), { timeout: 30_000 });
  await pulls.close();
});

test('a pull that fails has the sentence, and can be tried again', async () => {
  const { pulls } = createTestPulls(
    [new HearthError('model_not_found', 'file does not exist')],
    [{ status: 'success' }],
  );
  pulls.start(input);
  await vi.waitFor(() => expect(pulls.list()).toMatchObject([{ state: 'failed', problem: 'file does not exist' }]), {
    timeout: 30_000,
  });
  pulls.start(input);
  await vi.waitFor(() => expect(pulls.list()).toMatchObject([{ state: 'done', problem: '' }]), { timeout: 30_000 });
});

test('an invalid name is no pull', () => {
  const { pulls } = createTestPulls();
  expect(() => pulls.start({ model: 'a b', insecure: false })).toThrow('invalid');
  expect(pulls.list()).toEqual([]);
});

test('after a restart, running pulls are continued, paused ones are paused, and failed ones are forgotten', async () => {
  const first = createTestPulls([downloading(1)], [downloading(1)], [new Error('no')]);
  first.pulls.start({ ...input, insecure: true });
  first.pulls.pause(first.pulls.start({ ...input, model: 'paused' }).id);
  first.pulls.start({ ...input, model: 'failed' });
  await vi.waitFor(() => expect(first.pulls.list()[0]?.state).toBe('failed'), { timeout: 30_000 });
  await first.pulls.close();
  const { pulls, signals } = createTestPulls([downloading(2), { status: 'success' }]);
  await pulls.resume();
  expect(pulls.list()).toMatchObject([
    { model: 'paused', state: 'paused' },
    { model: 'm', insecure: true, state: 'running' },
  ]);
  expect(signals).toHaveLength(1);
  await vi.waitFor(() => expect(pulls.list()[1]?.state).toBe('done'), { timeout: 30_000 });
  await pulls.close();
  expect(saved()).toEqual([{ model: 'paused', insecure: false, isPaused: true }]);
});

test.each(['', '{', 'null', '[{"model":5},{"model":"a b"},{}]'])(
  'a damaged list %j starts nothing wrong',
  async (text) => {
    writeFileSync(file, text);
    const { pulls } = createTestPulls();
    await pulls.resume();
    expect(pulls.list().every(({ model }) => /^\w+$/.test(model))).toBe(true);
    await pulls.close();
  },
);

test('a pull of a request is listed as long as it runs, ends with it, and is not kept', async () => {
  const { pulls, signals } = createTestPulls([downloading(7)]);
  const client = new AbortController();
  const parts = pulls.follow(input, client.signal);
  await parts.next();
  const end = parts.next();
  expect(pulls.list()).toMatchObject([{ state: 'running', progress: { completed: 7 } }]);
  client.abort();
  await expect(end).rejects.toThrow('aborted');
  expect([pulls.list(), signals[0]?.aborted, saved()]).toEqual([[], true, undefined]);
});

test('a pull of a request can be canceled from the list', async () => {
  const { pulls } = createTestPulls([downloading(7)]);
  const parts = pulls.follow(input, new AbortController().signal);
  await parts.next();
  const end = parts.next();
  pulls.remove('1');
  await expect(end).rejects.toThrow('aborted');
});

test('the list is bounded: what has ended makes room', async () => {
  const { pulls } = createTestPulls([{ status: 'success' }]);
  pulls.start(input);
  await vi.waitFor(() => expect(pulls.isRunning).toBe(false), { timeout: 30_000 });
  for (let index = 0; index < 100; index++) pulls.start({ ...input, model: `m${index}` });
  expect(pulls.list()).toHaveLength(100);
  expect(() => pulls.start({ ...input, model: 'more' })).toThrow('there are 100 pulls already');
  await pulls.close();
});
