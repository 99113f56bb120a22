import { expect, test } from 'vitest';
import { resolveOptions } from '../../../models/options.ts';
import { type OpenAiTarget, toChatRequest, toCompletionRequest } from './openai-request.ts';
import type { RemoteConversation } from './remote-conversation.ts';

const target = (kind: OpenAiTarget['kind']): OpenAiTarget => ({ kind, model: 'llama', remote: 'gpu' });
const conversation = (more: Partial<RemoteConversation> = {}): RemoteConversation => ({
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  toolChoice: 'auto',
  parallelCalls: true,
  options: {},
  ...more,
});
const bodyOf = (kind: OpenAiTarget['kind'], more: Partial<RemoteConversation>) =>
  toChatRequest(target(kind), conversation(more)).body;

test('a chat is streamed with its usage, and without options that nobody set', () => {
  expect(toChatRequest(target('openai'), conversation())).toEqual({
    path: '/v1/chat/completions',
    body: {
      model: 'llama',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    },
    ignored: [],
    ownStops: [],
  });
});

test('calls and their results have the same ids', () => {
  const messages = [
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { name: 'a', arguments: { x: 1 } },
        { id: 'own', name: 'b', arguments: {} },
      ],
    },
    { role: 'tool', content: '2', toolName: 'b', toolCallId: 'own' },
    { role: 'tool', content: '1', toolName: 'a' },
  ];
  expect(bodyOf('vllm', { messages })).toMatchObject({
    messages: [
      { tool_calls: [{ id: 'call_0', function: { name: 'a', arguments: '{"x":1}' } }, { id: 'own' }] },
      { role: 'tool', tool_call_id: 'own' },
      { role: 'tool', tool_call_id: 'call_0' },
    ],
  });
});

test('images are data URLs after the text', () => {
  const images = [Buffer.from([0x89, 0x50]), Buffer.from([0xff, 0xd8])];
  expect(bodyOf('vllm', { messages: [{ role: 'user', content: 'What?', images }] })).toMatchObject({
    messages: [
      {
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVA=' } },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9g=' } },
        ],
      },
    ],
  });
});

test('tools are strict for vLLM alone, which needs that to hold their arguments', () => {
  const tools = [{ name: 'a', description: 'A', parameters: { type: 'object' } }];
  expect(bodyOf('vllm', { tools, toolChoice: { name: 'a' } })).toMatchObject({
    tools: [{ function: { strict: true } }],
    tool_choice: { type: 'function', function: { name: 'a' } },
  });
  expect(JSON.stringify(bodyOf('openai', { tools }))).not.toContain('strict');
});

test('formats become response_format, and grammars what the kind has for them', () => {
  const schema = { type: 'object' };
  expect(bodyOf('openai', { format: { type: 'json' } })).toMatchObject({ response_format: { type: 'json_object' } });
  expect(bodyOf('openai', { format: { type: 'schema', schema } })).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { schema } },
  });
  const format = { type: 'gbnf', grammar: 'root ::= "a"' } as const;
  expect(bodyOf('vllm', { format })).toMatchObject({ structured_outputs: { grammar: format.grammar } });
  expect(bodyOf('sglang', { format })).toMatchObject({ ebnf: format.grammar });
  expect(bodyOf('llama-server', { format })).toMatchObject({ grammar: format.grammar });
  expect(() => bodyOf('openai', { format })).toThrow('the remote "gpu" does not support grammars');
});

test('think becomes a variable of the template or an effort', () => {
  expect(bodyOf('vllm', { think: false })).toMatchObject({ chat_template_kwargs: { enable_thinking: false } });
  expect(bodyOf('openai', { think: 'max' })).toMatchObject({ reasoning_effort: 'high' });
  expect(bodyOf('openai', { think: true })).not.toHaveProperty('chat_template_kwargs');
});

test('a limit for thinking is sent to vLLM, and named elsewhere', () => {
  expect(bodyOf('vllm', { think: true, thinkingBudget: 9 })).toMatchObject({ thinking_token_budget: 9 });
  expect(toChatRequest(target('vllm'), conversation({ thinkingBudget: 9 })).ignored).toEqual([]);
  expect(toChatRequest(target('sglang'), conversation({ thinkingBudget: 9 })).ignored).toEqual(['thinking_budget']);
});

test('log probabilities and biases have the fields of the API', () => {
  expect(bodyOf('openai', { topLogprobs: 3, logitBias: [[7, -100]] })).toMatchObject({
    logprobs: true,
    top_logprobs: 3,
    logit_bias: { 7: -100 },
  });
});

test('a completion has the prompt as text or as tokens', () => {
  const { sample } = resolveOptions({}, { numPredict: 5, stop: ['END'] });
  const request = { prompt: 'Once', context: [], options: sample, wantContext: false };
  expect(toCompletionRequest(target('vllm'), request, { temperature: 0 }).body).toMatchObject({
    prompt: 'Once',
    max_tokens: 5,
    stop: ['END'],
    temperature: 0,
  });
  const tokens = { ...request, prompt: '', context: [1, 2] };
  expect(toCompletionRequest(target('vllm'), tokens, {}).body).toMatchObject({ prompt: [1, 2] });
  expect(() => toCompletionRequest(target('openai'), tokens, {})).toThrow('the remote "gpu" does not support');
});

test('a completion without a limit does not end after 16 tokens', () => {
  const { sample } = resolveOptions({}, {});
  const request = { prompt: 'x'.repeat(200), context: [], options: sample, wantContext: false };
  const limitOf = (kind: OpenAiTarget['kind'], contextLength?: number) =>
    (toCompletionRequest({ ...target(kind), contextLength }, request, {}).body as { max_tokens?: unknown }).max_tokens;
  // vLLM takes null for its default of 16.
  expect(limitOf('vllm', 4096)).toBe(4096 - 100 - 4);
  expect(limitOf('llama-server', 4096)).toBeUndefined();
  expect(limitOf('sglang', 4096)).toBe(4096 - 100 - 4);
  expect(limitOf('sglang', 50)).toBe(16);
  expect(limitOf('openai')).toBeUndefined();
});
