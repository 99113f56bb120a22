import { expect, test } from 'vitest';
import { HearthError } from '../../base/errors.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { GenerateCommand } from '../protocol/messages.ts';
import { createLease, type HeldRunner } from './create-lease.ts';
import type { GenerateRequest } from './ports.ts';
import type { RunnerProcess } from './process/runner-process.ts';

const started: AnswerEvent = { type: 'started', promptTokens: 1, cachedTokens: 0, droppedTokens: 0 };
const canceled = new HearthError('cancelled', 'request canceled');
const never = new AbortController().signal;

/** A lease on a runner that starts no request, or each at once, and then waits for its signal. */
function setUp(starts: boolean) {
  const eviction = new AbortController();
  const aborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      if (signal.aborted) reject(canceled);
      signal.addEventListener('abort', () => reject(canceled));
    });
  const runner = {
    async *generate(_command: unknown, signal: AbortSignal) {
      if (starts) yield started;
      await aborted(signal);
    },
    embed: (_request: unknown, signal: AbortSignal) => aborted(signal),
    rank: (_request: unknown, signal: AbortSignal) => aborted(signal),
  } as unknown as RunnerProcess;
  const held = { runner, evicted: eviction.signal, begin: () => {}, release: () => {} } as unknown as HeldRunner;
  const lease = createLease({
    held,
    signal: never,
    reacquire: () => Promise.reject(new Error('not expected')),
    toCommand: () => ({}) as GenerateCommand,
  });
  const evict = (): void => eviction.abort(new HearthError('busy', 'server busy'));
  return { lease, evict };
}

async function read(events: AsyncIterable<AnswerEvent>): Promise<void> {
  for await (const _ of events);
}

test('a request that loses its place in the queue fails with the reason', async () => {
  const { lease, evict } = setUp(false);
  const calls = [
    read(lease.generate({} as GenerateRequest, never)),
    lease.embed({ texts: ['x'], truncate: true }, never),
    lease.rank({ query: 'x', documents: ['y'], truncate: true }, never),
  ];
  evict();
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'busy' });
});

test('also if it lost its place before it reached the runner', async () => {
  const { lease, evict } = setUp(false);
  evict();
  await expect(read(lease.generate({} as GenerateRequest, never))).rejects.toMatchObject({ code: 'busy' });
});

test('a disconnect is not reported as a lost place', async () => {
  const { lease } = setUp(false);
  const controller = new AbortController();
  const answer = read(lease.generate({} as GenerateRequest, controller.signal));
  controller.abort();
  await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
});
