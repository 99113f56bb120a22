// Thinking models: `think`, `thinking` and the capability. The runner is scripted, because Ember does not think.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { type Body, chat, generate, post, postChat } from '../support/client.ts';
import { addEmberVariant } from '../support/models/ember-variant.ts';
import { eventsOf, postChat as postOpenAi } from '../support/openai.ts';
import { type ScriptedServer, startScriptedServer } from '../support/registry/scripted-server.ts';

const turns = (opening: string): string => `{{- range .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}{{ if and $.IsThinkSet (not $.Think) }} /no_think{{ end }}{{ with $.ThinkLevel }} level {{ . }}{{ end }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if .Thinking }}<think>{{ .Thinking }}</think>
{{ end }}{{ .Content }}<|im_end|>
{{ end }}
{{- end }}<|im_start|>assistant
${opening}`;

let server: ScriptedServer;
let url: string;
beforeAll(async () => {
  server = await startScriptedServer('thinks');
  url = server.url;
  await addEmberVariant(server.store, 'thinker', { template: turns('') });
  // Its prompts end with the opening tag.
  await addEmberVariant(server.store, 'channels', {
    template: `${turns('<|start|>assistant')}{{/* <|channel|><|message|> */}}`,
  });
  await addEmberVariant(server.store, 'prefilled', { template: turns('<think>\n') });
});
afterAll(() => server.stop());

const ask = (content: string, extra: Body = {}): Body => ({
  model: 'thinker',
  messages: [{ role: 'user', content }],
  ...extra,
});
const sum = 'What is two and two?';
const told = { role: 'assistant', thinking: 'Two and two.', content: 'It is four.' };

describe('chat', () => {
  test('thinking and content are separated, however the text is split', async () => {
    expect((await chat(url, ask(sum))).message).toEqual(told);
    expect((await chat(url, ask(sum, { think: true }))).message).toEqual(told);
  });

  test('a prompt that ends with the opening tag starts with thinking', async () => {
    expect((await chat(url, ask(sum, { model: 'prefilled' }))).message).toEqual(told);
  });

  test('streamed: chunks of thinking, then chunks of content', async () => {
    const { objects } = await postChat(url, ask(sum));
    const messages = objects.map(({ message }) => message);
    expect(messages.map((message) => message?.thinking ?? '').join('')).toBe(told.thinking);
    expect(messages.map((message) => message?.content ?? '').join('')).toBe(told.content);
    const kinds = messages.slice(0, -1).map((message) => (message?.thinking === undefined ? 'content' : 'thinking'));
    expect([...new Set(kinds)]).toEqual(['thinking', 'content']);
    expect(kinds).toEqual([...kinds].sort().reverse());
  });

  test('`think` false: passed to the template, and nothing is parsed', async () => {
    expect((await chat(url, ask(sum, { think: false }))).message).toEqual({ role: 'assistant', content: told.content });
  });

  test('a level is passed to the template', async () => {
    expect((await chat(url, ask('ECHO', { think: 'high' }))).message?.content).toContain('level high');
    expect((await chat(url, ask('ECHO', { think: true }))).message?.content).toContain('level medium');
    expect((await chat(url, ask('ECHO', { think: false }))).message?.content).not.toContain('level');
  });

  test('an answer without the tag is content', async () => {
    expect((await chat(url, ask('PLAIN'))).message).toEqual({ role: 'assistant', content: ' No <think>here</think>' });
  });

  test('unfinished thinking is thinking', async () => {
    const { message, done_reason } = await chat(url, ask('ENDLESS'));
    expect([message, done_reason]).toEqual([{ role: 'assistant', content: '', thinking: 'on and on' }, 'length']);
  });

  test('earlier thinking: passed to the template from its field, removed from the content', async () => {
    const messages = [
      { role: 'user', content: 'One?' },
      { role: 'assistant', thinking: 'Hm.', content: 'Yes.' },
      { role: 'user', content: 'Two?' },
      { role: 'assistant', content: '<think>Old thought.</think>\n\nNo.' },
      { role: 'user', content: 'ECHO' },
    ];
    const prompt = (await chat(url, { model: 'thinker', messages })).message?.content ?? '';
    expect(prompt).toContain('<think>Hm.</think>\nYes.');
    expect(prompt).toContain('assistant\nNo.');
    expect(prompt).not.toContain('Old thought');
  });

  test('with a schema: only the answer must match it', async () => {
    const format = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
    const { message, eval_count } = await chat(url, ask(sum, { format }));
    expect(message).toEqual({ role: 'assistant', thinking: 'Two and two.', content: '{"sum": 4}' });
    // One generation, whose tokens count once.
    expect(eval_count).toBe(2);
    expect((await chat(url, ask(sum, { format, model: 'prefilled' }))).message).toEqual(message);
    expect((await chat(url, ask(sum, { format, think: false }))).message).not.toHaveProperty('thinking');
  });
});

describe('generate', () => {
  test('thinking in a separate field, streamed or not', async () => {
    expect(await generate(url, { model: 'thinker', prompt: sum })).toMatchObject({
      thinking: told.thinking,
      response: told.content,
    });
    const { objects } = await post(url, '/api/generate', { model: 'thinker', prompt: sum });
    expect(objects.map(({ thinking }) => thinking ?? '').join('')).toBe(told.thinking);
    expect(objects.map(({ response }) => response).join('')).toBe(told.content);
  });

  test('raw: nothing is parsed', async () => {
    const { response } = await generate(url, { model: 'thinker', prompt: sum, raw: true });
    expect(response).toContain('<think>');
  });
});

describe('the OpenAI dialect', () => {
  test('thinking is `reasoning`, streamed or not; the effort `none` disables it', async () => {
    const { body } = await postOpenAi(url, ask(sum));
    expect(body.choices[0]?.message).toEqual({
      role: 'assistant',
      reasoning: told.thinking,
      content: told.content,
      refusal: null,
    });
    const { text } = await postOpenAi(url, ask(sum, { stream: true }));
    const deltas = eventsOf(text).objects.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ reasoning }) => reasoning ?? '').join('')).toBe(told.thinking);
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(told.content);
    const off = await postOpenAi(url, ask(sum, { reasoning_effort: 'none' }));
    expect(off.body.choices[0]?.message).not.toHaveProperty('reasoning');
    const high = await postOpenAi(url, ask('ECHO', { reasoning_effort: 'xhigh' }));
    expect(high.body.choices[0]?.message.content).toContain('level max');
  });
});

test('show lists the thinking capability', async () => {
  const capabilities = async (model: string) =>
    (await post<{ capabilities: string[] }>(url, '/api/show', { model })).objects[0]?.capabilities;
  expect(await capabilities('thinker')).toContain('thinking');
  expect(await capabilities('ember')).not.toContain('thinking');
});

describe('levels', () => {
  // The template writes the level.
  const promptAt = async (think: unknown, model = 'thinker'): Promise<string | undefined> =>
    (await chat(url, ask(sum, { model, think, _debug_render_only: true })))._debug_info?.rendered_template;
  const levelsOf = async (model: string): Promise<unknown> =>
    (await post<ShowResponseBody>(url, '/api/show', { model })).objects[0]?.thinking;

  test('show lists those of the model', async () => {
    expect(await levelsOf('thinker')).toEqual({ levels: ['low', 'medium', 'high', 'max'] });
    expect(await levelsOf('channels')).toEqual({ levels: ['low', 'medium', 'high'] });
    expect(await levelsOf('ember')).toBeUndefined();
    const codecs = { renderer: 'glimmer', parser: 'glimmer' };
    await post(url, '/api/create', { model: 'strong', from: 'ember', stream: false, ...codecs });
    expect(await levelsOf('strong')).toEqual({ levels: ['low', 'medium', 'high', 'max'] });
    await post(url, '/api/create', {
      model: 'switch',
      from: 'ember',
      stream: false,
      renderer: 'qwen3.5',
      parser: 'qwen3.5',
    });
    expect(await levelsOf('switch')).toEqual({ levels: [] });
  });

  test('the template gets the level; one above all is the highest', async () => {
    expect(await promptAt('low')).toContain('level low');
    expect(await promptAt('max')).toContain('level max');
    expect(await promptAt('max', 'channels')).toContain('level high');
  });

  test('a level that the model does not have is refused', async () => {
    const { status, objects } = await postChat(url, ask(sum, { think: 'deep' }));
    expect([status, objects[0]?.error]).toEqual([400, expect.stringContaining('invalid think value: "deep"')]);
  });
});
