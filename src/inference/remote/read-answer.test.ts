import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { RemoteKind } from './endpoint.ts';
import { readAnswer } from './read-answer.ts';

async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const request = { ignored: [], ownStops: [] };
const times = () => ({ begun: 0, clock: createFakeClock() });

/** The events after the start. */
async function read(kind: RemoteKind, text: string, ownStops: readonly string[] = []): Promise<AnswerEvent[]> {
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  const source = {
    remote: 'gpu',
    kind,
    response: { chunks, sentBytes: 100 },
    request: { ...request, ownStops },
    ...times(),
  };
  return (await collectAll(readAnswer(source))).slice(1);
}

const event = (object: object): string => `data: ${JSON.stringify(object)}\n\n`;
const text = (content: string): string => event({ choices: [{ delta: { content } }] });
const finish = event({ choices: [{ delta: {}, finish_reason: 'stop' }] });
const done = 'data: [DONE]\n\n';

test('an answer is complete with its end, and nothing after [DONE] is read', async () => {
  expect(await read('vllm', `${text('Yes')}${finish}${done}${text('more')}`)).toMatchObject([
    { type: 'tokens', text: 'Yes' },
    { type: 'done', reason: 'stop' },
  ]);
  expect(await read('ollama', '{"message":{"content":"Yes"}}\n\n{"done":true}\n')).toMatchObject([
    { type: 'tokens', text: 'Yes' },
    { type: 'done' },
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
  expect(await read('vllm', `${text('one E')}${text('ND two')}${finish}${done}`, ['END'])).toMatchObject([
    { type: 'tokens', text: 'one ' },
    { type: 'done', reason: 'stop', stopSequence: 'END' },
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
  const response = { chunks, sentBytes: 0, collect: () => void collected.push(sent + 1) };
  await collectAll(
    readAnswer({ remote: 'gpu', kind: 'vllm', response, request, isCrowded: () => isCrowded, ...times() }),
  );
  expect(collected).toEqual([1, 2, 3, 4, 5, 6, 7, 8].filter((chunk) => chunk >= first));
});

test('what came before a failure is not lost', async () => {
  const chunks = (async function* () {
    yield Buffer.from(`${text('one')}${text(' two')}data: <html>\n\n`);
  })();
  const events: AnswerEvent[] = [];
  const reading = async (): Promise<void> => {
    const source = { remote: 'gpu', kind: 'vllm', response: { chunks, sentBytes: 100 }, request, ...times() } as const;
    for await (const event of readAnswer(source)) events.push(event);
  };
  await expect(reading()).rejects.toThrow('not JSON');
  expect(events.slice(1)).toEqual([{ type: 'tokens', text: 'one two', generatedTokens: 2 }]);
});

test('an answer has a start with the options that are ignored, and an end with counts and times', async () => {
  const clock = createFakeClock();
  const usage = { prompt_tokens: 4, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } };
  const chunks = (async function* () {
    clock.advance(5);
    yield Buffer.from(text('Yes'));
    yield Buffer.from(event({ choices: [{ delta: {}, finish_reason: 'length' }] }));
    clock.advance(7);
    yield Buffer.from(`${event({ choices: [], usage })}${done}`);
  })();
  const source = {
    remote: 'gpu',
    kind: 'vllm',
    response: { chunks, sentBytes: 100 },
    begun: clock.monotonic(),
    clock,
  } as const;
  expect(await collectAll(readAnswer({ ...source, request: { ...request, ignored: ['mirostat'] } }))).toEqual([
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

test('log probabilities of texts that are joined are joined, too', async () => {
  const withLogprob = (content: string): string =>
    event({
      choices: [{ delta: { content }, logprobs: { content: [{ token: content, logprob: -1, top_logprobs: [] }] } }],
    });
  const bytes = (content: string) => ({ bytes: [...Buffer.from(content)], logprob: -1, top: [] });
  expect(await read('vllm', `${withLogprob('a')}${withLogprob('b')}${finish}${done}`)).toMatchObject([
    { type: 'tokens', text: 'ab', generatedTokens: 2, logprobs: [bytes('a'), bytes('b')] },
    { type: 'done' },
  ]);
});

test('a remote cannot report more tokens than bytes that were sent and received', async () => {
  const usage = event({ usage: { prompt_tokens: 1e12, completion_tokens: 1e12 }, choices: [] });
  const body = `${text('Yes')}${finish}${usage}${done}`;
  const end = (await read('vllm', body)).at(-1);
  expect(end).toMatchObject({ type: 'done', promptTokens: 100 + 4096, generatedTokens: Buffer.byteLength(body) });
});

test('a part of an answer with thousands of levels or values is a failure', async () => {
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const many = `[${'0,'.repeat(100_000)}0]`;
  for (const value of [nested, many])
    await expect(read('ollama', `{"message":{"content":"Yes"},"x":${value}}\n{"done":true}\n`)).rejects.toThrow(
      'too large',
    );
});
