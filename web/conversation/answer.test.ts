import { expect, test } from 'vitest';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { addPart, answerPhase, beginAnswer, toMessage } from './answer.ts';
import type { TreeMessage } from './chat-document.ts';

const part = (message: Partial<NonNullable<ChatResponseBody['message']>>, rest = {}): ChatResponseBody => ({
  model: 'ember',
  created_at: '',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...rest,
});
const message: TreeMessage = { id: 'a', parent: 'q', role: 'assistant', content: '', created_at: '' };
const call = { function: { index: 0, name: 'get_time', arguments: { zone: 'UTC' } } };

function fold(parts: readonly ChatResponseBody[], begin = beginAnswer(message)) {
  return parts.reduce((answer, one, index) => addPart(answer, one, (index + 1) * 10), begin);
}

test('texts are joined, thinking apart from the answer', () => {
  const answer = fold([
    part({ thinking: 'Hm' }),
    part({ thinking: '.' }),
    part({ content: 'Hel' }),
    part({ content: 'lo' }),
  ]);
  expect(toMessage(message, answer)).toMatchObject({ thinking: 'Hm.', content: 'Hello' });
});

test('the phases of an answer', () => {
  const waiting = beginAnswer(message);
  const thinking = addPart(waiting, part({ thinking: 'Hm' }), 1);
  expect([waiting, thinking, addPart(thinking, part({ content: 'x' }), 2)].map(answerPhase)).toEqual([
    'waiting',
    'thinking',
    'answering',
  ]);
  expect(answerPhase(addPart(waiting, part({ tool_calls: [call] }), 1))).toBe('answering');
});

test('the first token is the first object with text', () => {
  expect(fold([part({}), part({ content: 'a' }), part({ content: 'b' })]).firstTokenMs).toBe(20);
});

test('the last object has the statistics', () => {
  const done = part({}, { done: true, done_reason: 'stop', eval_count: 2, eval_duration: 5, prompt_eval_count: 9 });
  const { stats } = toMessage(message, fold([part({ content: 'a' }), done]));
  expect(stats).toEqual({
    first_token: 10,
    done_reason: 'stop',
    eval_count: 2,
    eval_duration: 5,
    prompt_eval_count: 9,
  });
});

test('tool calls are kept, and a message without them has no such field', () => {
  expect(toMessage(message, fold([part({ tool_calls: [call] })])).tool_calls).toEqual([call]);
  expect(toMessage(message, fold([part({ content: 'a' })])).tool_calls).toBeUndefined();
});

test('an answer that is continued keeps its text', () => {
  const begun = beginAnswer({ ...message, content: 'Once upon', thinking: 'A tale.' });
  expect(toMessage(message, fold([part({ content: ' a time' })], begun))).toMatchObject({
    content: 'Once upon a time',
    thinking: 'A tale.',
  });
});

test('an answer that is picked up counts from the objects that it has', () => {
  const begun = beginAnswer({ ...message, content: 'Hel', request: { id: 'r', received: 3 } });
  expect(addPart(begun, part({ content: 'lo' }), undefined)).toEqual({
    content: 'Hello',
    thinking: '',
    toolCalls: [],
    serverCalls: [],
    received: 4,
  });
});
