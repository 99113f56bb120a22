// Models that name a renderer and a parser. The runner is scripted: it says what the question asks for.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { type Body, chat, generate, post, postChat } from '../support/client.ts';
import { postCompletion, postChat as postOpenAi } from '../support/openai.ts';
import { type ScriptedServer, startScriptedServer } from '../support/registry/scripted-server.ts';

let server: ScriptedServer;
let url: string;
beforeAll(async () => {
  server = await startScriptedServer('says');
  url = server.url;
  const create = (model: string, fields: Body) =>
    post(url, '/api/create', { model, from: 'ember', system: '', stream: false, ...fields });
  await create('thinker', { renderer: 'qwen3.5', parser: 'qwen3.5' });
  await create('coder', { renderer: 'qwen3-coder', parser: 'qwen3-coder' });
  await create('only-renderer', { renderer: 'qwen3-coder' });
  await create('child', { from: 'thinker', system: 'Be brief.' });
});
afterAll(() => server.stop());

const say = (text: string, fields: Body = {}): Body => ({
  model: 'thinker',
  messages: [{ role: 'user', content: `SAY:${text}` }],
  ...fields,
});
const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { days: { type: 'integer' } } } },
};
const call = '<tool_call>\n<function=weather>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>';

describe('_debug_render_only', () => {
  test('chat answers with the prompt', async () => {
    const answer = await chat(url, { ...say('x'), _debug_render_only: true });
    expect(answer).toEqual({
      model: 'thinker',
      created_at: expect.any(String),
      message: { role: 'assistant', content: '' },
      done: false,
      _debug_info: {
        rendered_template: '<|im_start|>user\nSAY:x<|im_end|>\n<|im_start|>assistant\n<think>\n',
      },
    });
  });

  test('generate answers with the prompt, with the system message of the model', async () => {
    const answer = await generate(url, { model: 'child', prompt: 'Hi', think: false, _debug_render_only: true });
    expect(answer).toMatchObject({ response: '', done: false });
    expect(answer._debug_info?.rendered_template).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    );
  });

  test('a raw prompt and the prompt of a template', async () => {
    const ask = async (fields: Body) =>
      (await generate(url, { model: 'ember', prompt: 'Hi', _debug_render_only: true, ...fields }))._debug_info;
    expect(await ask({ raw: true })).toEqual({ rendered_template: 'Hi' });
    expect(await ask({ template: 'I: {{ .Prompt }}' })).toEqual({ rendered_template: 'I: Hi' });
  });
});

test('gpt-oss gets the names of tools as identifiers, and clients get theirs', async () => {
  const template =
    '{{ range .Tools }}{{ .Function.Name }} {{ end }}{{ range .Messages }}{{ .Content }}{{ end }}<|start|>assistant';
  await post(url, '/api/create', {
    model: 'channels',
    from: 'ember',
    template: `${template}{{/* <|channel|><|message|> */}}`,
    parser: 'harmony',
    stream: false,
  });
  const tools = [{ type: 'function', function: { ...weather.function, name: 'mcp-weather.get' } }];
  const said = '<|channel|>commentary to=functions.mcp_weather_get <|constrain|>json<|message|>{"days":2}';
  const asked = { ...say(said), model: 'channels', tools };
  const debug = await chat(url, { ...asked, _debug_render_only: true });
  expect(debug._debug_info?.rendered_template).toMatch(/^mcp_weather_get /);
  const { message } = await chat(url, asked);
  expect(message?.tool_calls?.map((call) => call.function)).toMatchObject([
    { name: 'mcp-weather.get', arguments: { days: 2 } },
  ]);
});

test('_debug_render_only on the routes of OpenAI', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const { status, body } = await postOpenAi(url, { model: 'coder', messages, _debug_render_only: true, stream: true });
  expect([status, body.choices[0]?.message.content, body.usage.total_tokens]).toEqual([200, '', 0]);
  const native = await chat(url, { model: 'coder', messages, _debug_render_only: true });
  expect(body._debug_info).toEqual(native._debug_info);
  const plain = { model: 'coder', prompt: 'Hi', _debug_render_only: true };
  expect((await postCompletion(url, plain)).body._debug_info?.rendered_template).toBe('Hi');
  const completion = await postCompletion(url, { ...plain, raw: false });
  expect(completion.body._debug_info?.rendered_template).toContain('<|im_start|>user\nHi<|im_end|>');
});

describe('answers are read by the parser', () => {
  test('thinking and a call', async () => {
    const { message } = await chat(url, say(`Hm.</think>\n\nSo.\n\n${call}`, { tools: [weather] }));
    expect(message).toMatchObject({
      thinking: 'Hm.',
      content: 'So.',
      tool_calls: [{ function: { index: 0, name: 'weather', arguments: { days: 2 } } }],
    });
  });

  test('streamed', async () => {
    const { objects } = await postChat(url, say(`Hm.</think>So.${call}`, { tools: [weather] }));
    const messages = objects.map(({ message }) => message);
    expect(messages.map((message) => message?.thinking ?? '').join('')).toBe('Hm.');
    expect(messages.map((message) => message?.content ?? '').join('')).toBe('So.');
    expect(messages.flatMap((message) => message?.tool_calls ?? [])).toHaveLength(1);
  });

  test('in the API of OpenAI', async () => {
    const { body } = await postOpenAi(url, say(`Hm.</think>${call}`, { tools: [weather] }));
    expect(body.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { reasoning: 'Hm.' } });
  });

  test('an answer that continues a text does not start with thinking', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'SAY:more' },
    ];
    expect((await chat(url, { model: 'thinker', messages })).message).toEqual({ role: 'assistant', content: 'more' });
  });

  test('thinking is not read if it is disabled', async () => {
    expect((await chat(url, say('Yes.', { think: false }))).message).toEqual({ role: 'assistant', content: 'Yes.' });
  });
});

test.each([
  ['thinker', ['completion', 'tools', 'thinking']],
  ['coder', ['completion', 'tools']],
  ['only-renderer', ['completion']],
])('%s can do what its parser reads', async (model, capabilities) => {
  const { objects } = await post<ShowResponseBody>(url, '/api/show', { model });
  expect(objects[0]?.capabilities).toEqual(capabilities);
});

test('a model without a parser refuses tools', async () => {
  const { status, objects } = await postChat(url, say('x', { model: 'only-renderer', tools: [weather] }));
  expect(status).toBe(400);
  expect(JSON.stringify(objects)).toContain('does not support tools');
});
