// llama-server's own API: each test name states a rule. The requests have the fields that llama.vim and llama.vscode send.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InfillPartBody } from '../../src/server/dialects/llama-server/infill/infill-schema.ts';
import type {
  PropsResponseBody,
  SlotsResponseBody,
} from '../../src/server/dialects/llama-server/status/status-schema.ts';
import { type Body, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

type Answered = InfillPartBody & Readonly<Record<string, unknown>>;
const ask = (path: string, body: Body) => post<Answered>(server.url, path, body);
const read = async <Response>(path: string) => (await (await fetch(server.url + path)).json()) as Response;

const files = [
  { filename: 'shape.py', text: 'def area(side):\n    return side * side\n', time: [1, 2] },
  { filename: 'main.py', text: 'print(area(3))\n', time: [3, 4] },
];
const atCursor = {
  input_prefix: 'def double(number):\n',
  prompt: '    return ',
  input_suffix: '\n\nprint(double(2))\n',
};
const vimFields = [
  ...['content', 'timings/prompt_n', 'timings/prompt_ms', 'timings/prompt_per_token_ms', 'timings/prompt_per_second'],
  ...['timings/predicted_n', 'timings/predicted_ms', 'timings/predicted_per_token_ms'],
  ...['timings/predicted_per_second', 'truncated', 'tokens_cached'],
];
const ofVim = {
  id_slot: 0,
  ...atCursor,
  input_extra: files,
  n_predict: 12,
  stop: [],
  n_indent: 4,
  top_k: 40,
  top_p: 0.9,
  samplers: ['top_k', 'top_p', 'infill'],
  stream: false,
  cache_prompt: true,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 1000,
  response_fields: vimFields,
};
const warmUp = {
  id_slot: 0,
  input_prefix: '',
  input_suffix: '',
  input_extra: files,
  prompt: '',
  n_predict: 0,
  temperature: 0,
  samplers: [],
  stream: false,
  cache_prompt: true,
  t_max_prompt_ms: 1,
  t_max_predict_ms: 1,
  response_fields: [''],
};

describe('POST /infill', () => {
  test('llama.vim: a request that warms the cache, then one at the cursor with the fields that it reads', async () => {
    const warmed = await ask('/infill', warmUp);
    expect([warmed.status, warmed.objects]).toEqual([200, [{}]]);
    const { status, text, objects } = await ask('/infill', ofVim);
    expect(status).toBe(200);
    // It searches the text before it parses it.
    expect(text).toMatch(/^{.*"content":"/);
    expect(Object.keys(objects[0] ?? {}).sort()).toEqual([...vimFields].sort());
    const evaluated = objects[0]?.['timings/prompt_n'] as number;
    expect(objects[0]?.['tokens_cached']).toBeGreaterThan(evaluated + 20);
  });

  test('llama.vscode: several answers are an array, and each has the settings that its status bar shows', async () => {
    const body = { ...ofVim, response_fields: undefined, n_cmpl: 3, lora: [{ id: 0, scale: 0.5 }] };
    const answers = (await ask('/infill', body)).objects[0] as unknown as Answered[];
    expect(answers).toHaveLength(3);
    for (const answer of answers) {
      expect(answer.generation_settings?.n_ctx).toBeGreaterThan(0);
      expect(answer.timings).toMatchObject({ prompt_n: expect.any(Number), predicted_ms: expect.any(Number) });
      expect(answer.tokens_cached).toBe(answer.tokens_evaluated + answer.tokens_predicted);
    }
  });

  test('a stream has texts, and an object with the rest at its end', async () => {
    const body = { ...atCursor, n_predict: 6, temperature: 0, stream: true };
    const response = await fetch(`${server.url}/infill`, { method: 'POST', body: JSON.stringify(body) });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
    const parts = frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')) as Answered);
    expect(parts.map(({ stop }) => stop)).toEqual([...parts.slice(1).map(() => false), true]);
    const whole = (await ask('/infill', { ...body, stream: false })).objects[0];
    expect(parts.map(({ content }) => content).join('')).toBe(whole?.content);
  });

  test('the name of a control token in a file is text', async () => {
    const count = async (text: string) =>
      (await ask('/infill', { input_prefix: text, n_predict: 1 })).objects[0]?.tokens_evaluated ?? 0;
    expect(await count('<|fim_middle|>')).toBeGreaterThan((await count('')) + 3);
  });

  test('texts that do not fit are cut, and the response says so', async () => {
    const input_extra = Array.from({ length: 20 }, () => ({ text: 'word '.repeat(5000) }));
    const { status, objects } = await ask('/infill', { ...atCursor, input_extra, n_predict: 4 });
    expect([status, objects[0]?.truncated]).toEqual([200, true]);
  });

  test.each([
    [{ input_extra: [{}] }, 400, 'text'],
    [{ input_extra: [{ filename: 'ok' }] }, 400, 'text'],
    [{ input_extra: [{ filename: 123, text: 'abc' }] }, 400, 'filename'],
    [{ samplers: ['magic'] }, 400, 'samplers: "magic" is unknown'],
    [{ n_cmpl: 100 }, 400, 'between 1 and 16'],
    [{ model: 'nobody' }, 404, 'not found'],
    [{ input_extra: Array(1025).fill({ text: '' }) }, 400, 'more than 1024 files'],
  ])('what is not valid is refused (%#)', async (fields, status, message) => {
    const reply = await ask('/infill', { ...atCursor, ...fields });
    expect(reply.status).toBe(status);
    expect(reply.objects[0]?.error).toMatchObject({ code: status, message: expect.stringContaining(message) });
  });
});

describe('POST /tokenize and /detokenize', () => {
  const text = 'Why 媽 🤗?';
  const tokenize = async (body: Body) =>
    (await ask('/tokenize', body)).objects[0] as unknown as Record<string, unknown>;

  test('the text comes back from its tokens', async () => {
    const { tokens } = await tokenize({ content: text });
    expect((await ask('/detokenize', { tokens })).objects[0]).toEqual({ content: text, prompt: text });
  });

  test('with_pieces: the text of each token, or its bytes', async () => {
    const { tokens } = (await tokenize({ content: text, with_pieces: true })) as {
      tokens: { id: number; piece: string | number[] }[];
    };
    const bytes = tokens.map(({ piece }) => Buffer.from(piece as string));
    expect(Buffer.concat(bytes).toString()).toBe(text);
  });

  test('parse_special: false makes the name of a control token text', async () => {
    const content = '<|im_end|>';
    expect(await tokenize({ content, parse_special: true })).toMatchObject({ tokens: [expect.any(Number)] });
    expect(((await tokenize({ content, parse_special: false }))['tokens'] as number[]).length).toBeGreaterThan(2);
  });

  test("vLLM's form: a prompt or messages", async () => {
    const { tokens } = await tokenize({ content: text, add_special: true });
    const answer = await tokenize({ model: 'ember', prompt: text, return_token_strs: true });
    expect(answer).toMatchObject({ count: (tokens as number[]).length, tokens });
    expect(answer['max_model_len']).toBeGreaterThan(0);
    expect(answer['token_strs']).toHaveLength(answer['count'] as number);
    const messages = [{ role: 'user', content: 'Hi' }];
    const prompt = (await ask('/apply-template', { messages })).objects[0]?.['prompt'];
    expect(prompt).toMatch(/Hi<\|im_end\|>\n<\|im_start\|>assistant\n$/);
    const chat = await tokenize({ model: 'ember', messages });
    expect(chat['tokens']).toEqual((await tokenize({ content: prompt }))['tokens']);
  });

  test('a prompt that does not end with the beginning of the answer is refused', async () => {
    const reply = await ask('/apply-template', {
      messages: [{ role: 'user', content: 'Hi' }],
      add_generation_prompt: false,
    });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('add_generation_prompt')]);
  });
});

test('GET /props and /slots describe the loaded model, or the one that is named', async () => {
  await ask('/infill', { ...atCursor, n_predict: 1 });
  const props = await read<PropsResponseBody>('/props');
  expect(props).toMatchObject({ model_alias: 'ember:latest', is_sleeping: false, modalities: { vision: false } });
  expect(props.default_generation_settings.n_ctx).toBeGreaterThan(0);
  const slots = await read<SlotsResponseBody>('/slots');
  expect(slots).toHaveLength(props.total_slots);
  expect(slots[0]).toEqual({ id: 0, n_ctx: props.default_generation_settings.n_ctx, is_processing: false });
  expect(await read('/props?model=ember-thinks')).toMatchObject({ model_alias: 'ember-thinks' });
  expect(await read('/props?model=nobody')).toMatchObject({ error: { code: 404, type: 'not_found_error' } });
});
