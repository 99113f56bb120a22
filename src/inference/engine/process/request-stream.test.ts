import { expect, test } from 'vitest';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type { DoneEvent, StartedEvent } from '../../protocol/messages.ts';
import { type RequestEvent, RequestStream } from './runner-requests.ts';

const started: StartedEvent = { type: 'started', id: 1, promptTokens: 5, cachedTokens: 4, droppedTokens: 0 };
const piece = { type: 'piece', id: 1, text: 'a' } as const;
const stats = { promptTokens: 5, promptNanoseconds: 6, generatedTokens: 7, generateNanoseconds: 8 };
const counts = { ...stats, cachedTokens: 4, thinkingTokens: 0, totalNanoseconds: 0, loadNanoseconds: 0 };
const done: DoneEvent = { type: 'done', id: 1, reason: 'stop', ...stats };
const failed: RequestEvent = { type: 'failed', id: 1, code: 'request_failed', message: 'm' };

async function eventsOf(...given: readonly RequestEvent[]): Promise<AnswerEvent[]> {
  const stream = new RequestStream();
  for (const event of given) expect(stream.accept(event)).toBe(true);
  const events: AnswerEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

test('token counts and the stop sequence are passed on', async () => {
  expect(await eventsOf(started, piece, { ...done, stopSequence: '###', context: [1] })).toEqual([
    { type: 'started', promptTokens: 5, cachedTokens: 4, droppedTokens: 0 },
    { type: 'tokens', text: 'a', generatedTokens: 1 },
    { type: 'done', reason: 'stop', stopSequence: '###', ...counts, context: [1] },
  ]);
  expect((await eventsOf(started, done)).at(-1)).toEqual({ type: 'done', reason: 'stop', ...counts });
});

test('the progress of a prompt has its length, and cannot exceed it', async () => {
  const progress = { type: 'progress', id: 1, evaluated: 3 } as const;
  expect((await eventsOf(started, progress, done))[1]).toEqual({ type: 'progress', evaluated: 3, total: 5 });
  const stream = new RequestStream();
  expect(stream.accept(progress)).toBe(false);
  expect(stream.accept(started)).toBe(true);
  expect(stream.accept({ ...progress, evaluated: 6 })).toBe(false);
});

test('text that waits for its reader is joined, and has the number of tokens of its last part', async () => {
  const counted = (text: string, generatedTokens: number): RequestEvent => ({ ...piece, text, generatedTokens });
  const events = await eventsOf(started, counted('a', 2), counted('b', 5), done);
  expect(events[1]).toEqual({ type: 'tokens', text: 'ab', generatedTokens: 5 });
});

test('a failure rejects the stream', async () => {
  await expect(eventsOf(started, failed)).rejects.toMatchObject({ code: 'request_failed', message: 'm' });
});

test.each([
  ['text before started', [], piece],
  ['done before started', [], done],
  ['started twice', [started], started],
  ['text after done', [started, done], piece],
  ['a failure after done', [started, done], failed],
] as const)('%s is rejected', (_, before, event) => {
  const stream = new RequestStream();
  for (const earlier of before) stream.accept(earlier);
  expect(stream.accept(event)).toBe(false);
});

test('the tokens of prompt and answer are in the context from the start to the end', () => {
  const stream = new RequestStream();
  const sizes = [started, piece, { ...piece, generatedTokens: 9 }, done].map((event) => {
    stream.accept(event);
    return stream.contextTokens;
  });
  expect([new RequestStream().contextTokens, ...sizes]).toEqual([0, 5, 6, 14, 0]);
});
