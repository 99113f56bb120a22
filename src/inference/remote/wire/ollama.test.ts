import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import { readOllamaLine, toOllamaChat } from './ollama.ts';
import { RemoteAnswer } from './remote-answer.ts';
import type { RemoteConversation } from './remote-conversation.ts';

const target = { model: 'ember', remote: 'gpu' };
const conversation = (more: Partial<RemoteConversation> = {}): RemoteConversation => ({
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  toolChoice: 'auto',
  parallelCalls: true,
  options: {},
  ...more,
});

test('a chat has every option, the format and the messages as this server has them', () => {
  const request = conversation({
    messages: [
      { role: 'user', content: 'Hi', images: [Buffer.from('x')] },
      { role: 'assistant', content: '', thinking: 'Hm', toolCalls: [{ id: 'a', name: 'time', arguments: {} }] },
      { role: 'tool', content: '9', toolName: 'time', toolCallId: 'a' },
    ],
    options: { numCtx: 100, mirostat: 2 },
    format: { type: 'schema', schema: { type: 'object' } },
    think: 'low',
    topLogprobs: 2,
  });
  expect(toOllamaChat(target, request)).toEqual({
    path: '/api/chat',
    body: {
      model: 'ember',
      messages: [
        { role: 'user', content: 'Hi', images: ['eA=='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm',
          tool_calls: [{ id: 'a', function: { name: 'time', arguments: {} } }],
        },
        { role: 'tool', content: '9', tool_name: 'time', tool_call_id: 'a' },
      ],
      stream: true,
      format: { type: 'object' },
      think: 'low',
      options: { num_ctx: 100, mirostat: 2 },
      logprobs: true,
      top_logprobs: 2,
    },
    ignored: [],
    ownStops: [],
  });
});

test('a call cannot be required', () => {
  const tools = [{ name: 'time', description: '' }];
  expect(() => toOllamaChat(target, conversation({ tools, toolChoice: 'required' }))).toThrow('the remote "gpu"');
});

const createAnswer = () => new RemoteAnswer({ ignored: [], ownStops: [] }, { begun: 0, clock: createFakeClock() });

test('lines become events', () => {
  const answer = createAnswer();
  const lines = [
    { message: { thinking: 'Hm', content: '' }, done: false },
    { message: { content: 'Yes' }, done: false },
    { message: { content: '', tool_calls: [{ function: { name: 'time', arguments: { zone: 1 } } }] }, done: false },
    {
      done: true,
      done_reason: 'length',
      prompt_eval_count: 4,
      eval_count: 2,
      prompt_eval_duration: 8,
      eval_duration: 9,
    },
  ];
  for (const line of lines) readOllamaLine('gpu', line, answer);
  const events: AnswerEvent[] = [];
  answer.flush((event) => events.push(event));
  expect(events.slice(1)).toEqual([
    { type: 'tokens', text: '', generatedTokens: 1 },
    { type: 'thinking', text: 'Hm' },
    { type: 'tokens', text: 'Yes', generatedTokens: 2 },
    { type: 'tokens', text: '', generatedTokens: 3 },
    { type: 'tool-calls', calls: [{ name: 'time', arguments: { zone: 1 } }] },
  ]);
  expect(answer.end()).toMatchObject({
    reason: 'length',
    promptTokens: 4,
    cachedTokens: 0,
    generatedTokens: 2,
    promptNanoseconds: 8,
    generateNanoseconds: 9,
  });
});

test('an error line is a failure', () => {
  expect(() => readOllamaLine('gpu', { error: 'out of memory' }, createAnswer())).toThrow(
    'the remote "gpu" failed: out of memory',
  );
});
