import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { createAsyncQueue } from '../../../base/async-queue.ts';
import { HearthError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { RequestReport } from '../../../base/request/request-report.ts';
import type { HeldRequest } from '../requests.ts';
import { createResumableAnswers, maxAnswerBytes, type ResumableAnswers } from './resumable-answers.ts';

const keptFor = 1000;
const detachedFor = 5000;
const client = '192.0.2.1';
const request = {} as FastifyRequest;
const { signal } = new AbortController();
let clock: FakeClock;
let answers: ResumableAnswers;
let held: (HeldRequest & { state: 'held' | 'canceled' | 'released' })[];
beforeEach(() => {
  clock = createFakeClock(0);
  held = [];
  answers = open(2 ** 20);
});
afterEach(() => answers.close());

const open = (maxBytes: number): ResumableAnswers =>
  createResumableAnswers({
    requests: {
      hold() {
        const request: (typeof held)[number] = {
          scope: { id: String(held.length), client, signal },
          report: new RequestReport(),
          state: 'held',
          cancel() {
            request.state = 'canceled';
          },
          release() {
            request.state = 'released';
          },
        };
        held.push(request);
        return request;
      },
    },
    clock,
    logger: silentLogger,
    maxBytes,
    keptFor,
    detachedFor,
  });
const states = (): string[] => held.map(({ state }) => state);

async function readAll(objects: AsyncIterable<object>): Promise<object[]> {
  const found: object[] = [];
  for await (const object of objects) found.push(object);
  return found;
}

/** An answer that has this many bytes and is finished. */
async function finish(bytes: number): Promise<void> {
  const queue = createAsyncQueue<object>();
  queue.push({ text: 'x'.repeat(bytes) });
  queue.end();
  answers.start(request, queue);
  await setImmediate();
}

describe('an answer', () => {
  test('goes on without a reader, and can be read from any object on', async () => {
    const queue = createAsyncQueue<object>();
    const first = answers.start(request, queue)(0, signal);
    queue.push({ number: 0 });
    expect((await first.next()).value).toEqual({ number: 0 });
    await first.return(undefined);
    queue.push({ number: 1 });
    const second = readAll((await answers.find({ client }, '0'))(1, signal));
    await setImmediate();
    expect(states()).toEqual(['held']);
    queue.push({ number: 2 });
    queue.end();
    expect(await second).toEqual([{ number: 1 }, { number: 2 }]);
    expect(states()).toEqual(['released']);
    expect(await readAll((await answers.find({ client }, '0'))(0, signal))).toHaveLength(3);
  });

  test('that fails is kept with its error', async () => {
    const queue = createAsyncQueue<object>();
    answers.start(request, queue);
    queue.push({ number: 0 });
    queue.fail(new HearthError('runner_died', 'gone'));
    await setImmediate();
    expect(states()).toEqual(['released']);
    const reader = (await answers.find({ client }, '0'))(0, signal);
    expect((await reader.next()).value).toEqual({ number: 0 });
    await expect(reader.next()).rejects.toMatchObject({ code: 'runner_died' });
  });

  test('of another client is not found, like one that does not exist', async () => {
    answers.start(request, createAsyncQueue<object>());
    for (const [viewer, id] of [
      ['192.0.2.2', '0'],
      [client, '1'],
    ] as const)
      await expect(answers.find({ client: viewer }, id)).rejects.toThrow(`request "${id}" not found`);
  });
});

describe('time', () => {
  test('an answer is kept for a while after its end, and after it was last read', async () => {
    await finish(10);
    clock.advance(keptFor - 1);
    await readAll((await answers.find({ client }, '0'))(0, signal));
    clock.advance(keptFor - 1);
    await answers.find({ client }, '0');
    clock.advance(1);
    await expect(answers.find({ client }, '0')).rejects.toThrow('not found');
  });

  test('an unfinished answer is canceled if nobody reads it for long', async () => {
    const queue = createAsyncQueue<object>();
    const leaving = new AbortController();
    const reader = readAll(answers.start(request, queue)(0, leaving.signal));
    clock.advance(2 * detachedFor);
    expect(states()).toEqual(['held']);
    leaving.abort();
    await reader;
    clock.advance(detachedFor - 1);
    expect(states()).toEqual(['held']);
    clock.advance(1);
    expect(states()).toEqual(['canceled']);
  });

  test('a server that stops cancels the answers that nobody reads', async () => {
    const [read, unread] = [createAsyncQueue<object>(), createAsyncQueue<object>()];
    const reader = readAll(answers.start(request, read)(0, signal));
    answers.start(request, unread);
    answers.close();
    expect(states()).toEqual(['held', 'canceled']);
    read.end();
    expect(await reader).toEqual([]);
  });
});

describe('memory', () => {
  test('a long answer keeps its last objects', async () => {
    answers = open(4 * maxAnswerBytes);
    const queue = createAsyncQueue<object>();
    const follow = answers.start(request, queue);
    const text = 'x'.repeat(2 ** 20);
    for (let number = 0; number < 10; number++) queue.push({ number, text });
    queue.end();
    await setImmediate();
    expect(() => follow(0, signal)).toThrow('only the objects from 7 on are kept');
    expect(await readAll(follow(7, signal))).toHaveLength(3);
  });

  test('finished answers make room, the oldest first', async () => {
    for (let count = 0; count < 3; count++) await finish(400_000);
    await expect(answers.find({ client }, '0')).rejects.toThrow('not found');
    for (const id of ['1', '2']) expect(await readAll((await answers.find({ client }, id))(0, signal))).toHaveLength(1);
  });

  test('without room, another answer is refused; unfinished ones stay', async () => {
    const queue = createAsyncQueue<object>();
    const follow = answers.start(request, queue);
    queue.push({ text: 'x'.repeat(2 ** 20 - 1000) });
    await setImmediate();
    expect(() => answers.start(request, createAsyncQueue<object>())).toThrow(expect.objectContaining({ code: 'busy' }));
    queue.end();
    expect(await readAll(follow(0, signal))).toHaveLength(1);
    await finish(10);
  });
});
