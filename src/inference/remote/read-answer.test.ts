import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { RemoteKind } from './endpoint.ts';
import { readAnswer } from './read-answer.ts';
import { toAnswerEvents } from './to-events.ts';
import type { AnswerPart } from './wire/answer-part.ts';

async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function read(kind: RemoteKind, text: string, ownStops: readonly string[] = []): Promise<AnswerPart[]> {
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  return collectAll(readAnswer({ remote: 'gpu', kind, response: { chunks }, request: { ownStops } }));
}

const event = (object: object): string => `data: ${JSON.stringify(object)}\n\n`;
const text = (content: string): string => event({ choices: [{ delta: { content } }] });
const finish = event({ choices: [{ delta: {}, finish_reason: 'stop' }] });
const done = 'data: [DONE]\n\n';

test('an answer is complete with its end, and nothing after [DONE] is read', async () => {
  expect(await read('vllm', `${text('Yes')}${finish}${done}${text('more')}`)).toEqual([
    { type: 'text', text: 'Yes' },
    { type: 'finish', reason: 'stop' },
  ]);
  expect(await read('ollama', '{"message":{"content":"Yes"}}\n\n{"done":true}\n')).toMatchObject([
    { type: 'text', text: 'Yes' },
    { type: 'usage' },
    { type: 'finish' },
  ]);
});

test.each([
  ['a bare end', text('Yes'), 'before it was complete'],
  ['[DONE] without an end', `${text('Yes')}${done}`, 'before it was complete'],
  ['an error before [DONE]', `${text('Yes')}${event({ error: { message: 'died' } })}${done}`, 'died'],
  ['something else', 'data: <html>\n\n', 'not JSON'],
  ['nothing', '', 'before it was complete'],
])('%s is a failure', async (_, body, message) => {
  await expect(read('vllm', body)).rejects.toThrow(message);
});

test('the answer ends at a stop sequence of this server', async () => {
  expect(await read('vllm', `${text('one E')}${text('ND two')}${finish}${done}`, ['END'])).toEqual([
    { type: 'text', text: 'one ' },
    { type: 'finish', reason: 'stop', stopSequence: 'END' },
  ]);
});

test.each([
  ['a few answers: after the first six chunks', false, 6],
  ['many answers: after the first chunk', true, 1],
])('%s, text is collected', async (_, isCrowded, first) => {
  let sent = 0;
  const collected: number[] = [];
  const chunks = (async function* () {
    for (; sent < 8; sent++) yield Buffer.from(text('x'));
    yield Buffer.from(`${finish}${done}`);
  })();
  const response = { chunks, collect: () => void collected.push(sent + 1) };
  await collectAll(
    readAnswer({ remote: 'gpu', kind: 'vllm', response, request: { ownStops: [] }, isCrowded: () => isCrowded }),
  );
  expect(collected).toEqual([1, 2, 3, 4, 5, 6, 7, 8].filter((chunk) => chunk >= first));
});

test('what came before a failure is not lost', async () => {
  const chunks = (async function* () {
    yield Buffer.from(`${text('one')}${text(' two')}data: <html>\n\n`);
  })();
  const parts: AnswerPart[] = [];
  const reading = async (): Promise<void> => {
    const source = { remote: 'gpu', kind: 'vllm', response: { chunks }, request: { ownStops: [] } } as const;
    for await (const part of readAnswer(source)) parts.push(part);
  };
  await expect(reading()).rejects.toThrow('not JSON');
  expect(parts).toEqual([{ type: 'text', text: 'one two', pieces: 2 }]);
});

test('events have a start with the options that are ignored, and an end with counts and times', async () => {
  const clock = createFakeClock();
  const parts = (async function* (): AsyncGenerator<AnswerPart> {
    clock.advance(5);
    yield { type: 'text', text: 'Yes' };
    yield { type: 'finish', reason: 'length' };
    clock.advance(7);
    yield { type: 'usage', promptTokens: 4, cachedTokens: 3, generatedTokens: 2 };
  })();
  const times = { begun: clock.monotonic(), clock };
  expect(await collectAll(toAnswerEvents(parts, { ignored: ['mirostat'] }, times))).toEqual([
    { type: 'started', promptTokens: 0, cachedTokens: 0, droppedTokens: 0, ignored: ['mirostat'] },
    { type: 'tokens', text: 'Yes', generatedTokens: 1 },
    {
      type: 'done',
      reason: 'length',
      promptTokens: 4,
      promptNanoseconds: 5e6,
      generatedTokens: 2,
      generateNanoseconds: 7e6,
      cachedTokens: 3,
      thinkingTokens: 0,
      totalNanoseconds: 12e6,
      loadNanoseconds: 0,
    },
  ]);
});
