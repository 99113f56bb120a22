import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import { createOpenAiReader } from './openai-reader.ts';
import { RemoteAnswer } from './remote-answer.ts';

const chunk = (delta: object, rest: object = {}) => ({ choices: [{ index: 0, delta, ...rest }] });
const read = (...chunks: Readonly<Record<string, unknown>>[]) => {
  const answer = new RemoteAnswer({ ignored: [], ownStops: [] }, { begun: 0, clock: createFakeClock() });
  const reader = createOpenAiReader('gpu', answer);
  const events: AnswerEvent[] = [];
  for (const object of chunks) reader(object);
  answer.flush((event) => events.push(event));
  return { events: events.slice(1), end: answer.end() };
};

test('text and thinking are separate events, and the end has the usage', () => {
  const { events, end } = read(
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm.' }),
    chunk({ reasoning: ' So.' }),
    chunk({ content: 'Yes' }),
    chunk({}, { finish_reason: 'stop', stop_reason: 'END' }),
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } } },
  );
  expect(events).toEqual([
    { type: 'tokens', text: '', generatedTokens: 2 },
    { type: 'thinking', text: 'Hm. So.' },
    { type: 'tokens', text: 'Yes', generatedTokens: 3 },
  ]);
  const counts = { promptTokens: 5, cachedTokens: 4, generatedTokens: 3 };
  expect(end).toMatchObject({ type: 'done', reason: 'stop', stopSequence: 'END', ...counts });
});

test('the pieces of calls are joined', () => {
  const call = (index: number, piece: object, id?: string) => ({
    tool_calls: [{ index, ...(id ? { id } : {}), function: piece }],
  });
  const { events } = read(
    chunk(call(0, { name: 'weather', arguments: '{"ci' }, 'a')),
    chunk(call(0, { arguments: 'ty":"Rome"}' })),
    chunk(call(1, { name: 'time', arguments: '' }, 'b')),
    chunk({}, { finish_reason: 'tool_calls' }),
  );
  expect(events[1]).toEqual({
    type: 'tool-calls',
    calls: [
      { id: 'a', name: 'weather', arguments: { city: 'Rome' } },
      { id: 'b', name: 'time', arguments: {} },
    ],
  });
});

test('a call that is cut off is left out, and one that is not JSON is a failure', () => {
  const begun = chunk({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{"ci' } }] });
  expect(read(begun, chunk({}, { finish_reason: 'length' }))).toMatchObject({ events: [], end: { reason: 'length' } });
  expect(() => read(begun, chunk({}, { finish_reason: 'tool_calls' }))).toThrow('not valid JSON');
});

test('log probabilities come with the text of chats and of completions', () => {
  const token = { token: 'é', bytes: [195, 169], logprob: -0.5 };
  const inChat = chunk({ content: 'é' }, { logprobs: { content: [{ ...token, top_logprobs: [token] }] } });
  expect(read(inChat).events).toEqual([
    {
      type: 'tokens',
      text: 'é',
      generatedTokens: 1,
      logprobs: [{ bytes: [195, 169], logprob: -0.5, top: [{ bytes: [195, 169], logprob: -0.5 }] }],
    },
  ]);
  const lists = { tokens: ['a'], token_logprobs: [-1], top_logprobs: [{ a: -1, b: -2 }] };
  expect(read({ choices: [{ text: 'a', logprobs: lists }] }).events).toMatchObject([
    { type: 'tokens', text: 'a', logprobs: [{ bytes: [97], logprob: -1, top: [{ bytes: [97] }, { bytes: [98] }] }] },
  ]);
});

test('an error in the stream is a failure that names the remote', () => {
  expect(() => read({ error: { message: 'engine\ndied', code: 500 } })).toThrow('the remote "gpu" failed: engine died');
});

test('an answer that the server has given up is a failure', () => {
  for (const finish_reason of ['abort', 'error'])
    expect(() => read(chunk({ content: 'Yes' }), chunk({}, { finish_reason }))).toThrow(
      'the remote "gpu" stopped before its answer was complete',
    );
});

test('fields of wrong types are ignored', () => {
  expect(read({}, { choices: 7 }, { choices: [null] }, chunk({ content: 7, tool_calls: 'x' })).events).toEqual([]);
});

test('endless calls are refused', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ index, function: { name: 'a' } }));
  expect(() => read(chunk({ tool_calls: many }))).toThrow('too long');
  const long = { index: 0, function: { name: 'a', arguments: 'x'.repeat(2 ** 20 + 1) } };
  expect(() => read(chunk({ tool_calls: [long] }))).toThrow('too long');
});
