// Fields of /v1 that other servers have, and that their documentation tells people to send.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../support/client.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { eventsOf } from '../support/openai.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const question = 'Tell me a story about a fox.';
const messages = [{ role: 'user', content: question }];

/** The text of an answer, and its number of tokens, on each route that generates. */
const routes: readonly (readonly [string, Body, (answer: never) => { text: string; tokens: number }])[] = [
  [
    '/v1/chat/completions',
    { messages },
    ({ choices, usage }: { choices: [{ message: { content: string } }]; usage: { completion_tokens: number } }) => ({
      text: choices[0].message.content,
      tokens: usage.completion_tokens,
    }),
  ],
  [
    '/v1/completions',
    { prompt: question, raw: false },
    ({ choices, usage }: { choices: [{ text: string }]; usage: { completion_tokens: number } }) => ({
      text: choices[0].text,
      tokens: usage.completion_tokens,
    }),
  ],
  [
    '/v1/responses',
    { input: question },
    ({ output, usage }: { output: [{ content: [{ text: string }] }]; usage: { output_tokens: number } }) => ({
      text: output[0].content[0].text,
      tokens: usage.output_tokens,
    }),
  ],
  [
    '/v1/messages',
    { messages },
    ({ content, usage }: { content: [{ text: string }]; usage: { output_tokens: number } }) => ({
      text: content[0].text,
      tokens: usage.output_tokens,
    }),
  ],
];

async function send(path: string, body: Body): Promise<{ status: number; headers: Headers; body: never }> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: JSON.stringify({ model: 'ember', ...body }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}

describe.each(routes)('%s: options are fields of the request', (path, base, read) => {
  const ask = async (fields: Body) => read((await send(path, { ...base, ...fields })).body);
  const wild = { temperature: 2, seed: 1, num_predict: 12 };
  const plain = { temperature: 0, n_predict: 40 };
  let without: { readonly wild: string; readonly plain: string };
  beforeAll(async () => {
    without = { wild: (await ask(wild)).text, plain: (await ask(plain)).text };
  });

  test.each([{ top_k: 1 }, { min_p: 1 }, { typical_p: 0.0001 }, { top_n_sigma: 0.0001 }])('%j', async (fields) => {
    const { text, tokens } = await ask({ ...wild, ...fields });
    expect(tokens).toBe(12);
    expect((await ask({ ...wild, ...fields, seed: 2 })).text).toBe(text);
    expect(text).not.toBe(without.wild);
  });

  test.each([
    { repetition_penalty: 3 },
    { repeat_penalty: 3 },
    { mirostat: 2, temperature: 1 },
    { xtc_probability: 1, temperature: 1 },
    { dry_multiplier: 100, dry_allowed_length: 1, dry_penalty_last_n: -1, dry_sequence_breakers: [] },
  ])('%j', async (fields) => {
    expect((await ask({ ...plain, ...fields, seed: 1 })).text).not.toBe(without.plain);
  });

  test('logit_bias', async () => {
    const { tokens } = (await send('/api/tokenize', { text: ' seven' })).body as { tokens: number[] };
    const logitBias = { [tokens.at(-1) as number]: 100 };
    expect((await ask({ ...plain, n_predict: 3, logit_bias: logitBias })).text).toMatch(/seven/);
    expect((await send(path, { ...base, logit_bias: { x: 1 } })).status).toBe(400);
  });

  test('a wrong type is a bad request', async () => {
    const { status, body } = await send(path, { ...base, min_p: 'many' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('option \\"min_p\\" must be of type float32');
  });

  test('ignore_eos and min_tokens', async () => {
    const short = { temperature: 0, ...(path === '/v1/completions' ? { prompt: 'Hi' } : {}) };
    const { tokens } = await ask(short);
    const longer = tokens + 20;
    expect((await ask({ ...short, ignore_eos: true, num_predict: longer })).tokens).toBe(longer);
    expect((await ask({ ...short, min_tokens: longer })).tokens).toBeGreaterThanOrEqual(longer);
  });
});

describe('chat_template_kwargs', () => {
  // As long as the template that it replaces in the weights.
  const template =
    '{% for i in range(repeats) %}x {% endfor %}{{ messages[0].content }}{% if enable_thinking %}<think>{% endif %}';
  beforeAll(async () => {
    const weights = Buffer.from(readFileSync(repository('models/ember-q4_k_m.gguf')));
    const key = 'tokenizer.chat_template';
    // The key is followed by the type of its value and the length of the text.
    const at = weights.indexOf(key) + key.length + 4;
    const length = Number(weights.readBigUInt64LE(at));
    weights.write(
      template.padEnd(length, ' ').replace(/ {4,}$/, (gap) => `{#${'-'.repeat(gap.length - 4)}#}`),
      at + 8,
    );
    await addModel(server.store, 'variable', weights);
  });

  const chatRoutes: readonly (readonly [string, Body])[] = [
    ['/v1/chat/completions', { messages, max_tokens: 1 }],
    ['/v1/responses', { input: question, max_output_tokens: 1 }],
    ['/api/chat', { messages, stream: false, options: { num_predict: 1 } }],
  ];
  const promptTokens = (answer: {
    usage?: { prompt_tokens?: number; input_tokens?: number };
    prompt_eval_count?: number;
  }): number => answer.usage?.prompt_tokens ?? answer.usage?.input_tokens ?? answer.prompt_eval_count ?? 0;

  test.each(chatRoutes)('%s: variables reach the template', async (path, base) => {
    const tokensWith = async (chat_template_kwargs: Body) =>
      promptTokens((await send(path, { ...base, model: 'variable', chat_template_kwargs })).body);
    const none = await tokensWith({ repeats: 0 });
    expect(await tokensWith({ repeats: 50 })).toBeGreaterThanOrEqual(none + 50);
  });

  test.each(chatRoutes)('%s: what the template does not have is named', async (path, base) => {
    const chat_template_kwargs = { repeats: 1, color: 'red' };
    const { headers } = await send(path, { ...base, model: 'variable', chat_template_kwargs });
    expect(headers.get('x-hearth-ignored')).toBe('chat_template_kwargs.color');
  });

  test.each(chatRoutes)('%s: what the server sets cannot be replaced', async (path, base) => {
    const { status, body } = await send(path, { ...base, chat_template_kwargs: { messages: [] } });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('is set by the server')]);
  });

  test('a template that such values make endless fails in time', async () => {
    const chat_template_kwargs = { repeats: 1e9 };
    const { status } = await send('/v1/chat/completions', { messages, model: 'variable', chat_template_kwargs });
    expect(status).toBe(500);
  });

  test('enable_thinking is think', async () => {
    const { body } = await send('/v1/chat/completions', {
      messages: [{ role: 'user', content: 'What is 2 + 2?' }],
      model: 'ember-thinks',
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(body).not.toHaveProperty('choices[0].message.reasoning');
  });
});

describe('a format of the answer', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
  const yesOrNo = 'root ::= "yes" | "no"';
  const age = /^\{\s*"age":\s*-?\d+\s*\}$/;
  const tag = { type: 'tag', begin: '<a>', content: { type: 'grammar', grammar: yesOrNo }, end: '</a>' };
  const cases: readonly (readonly [Body, RegExp])[] = [
    [{ grammar: yesOrNo }, /^(yes|no)$/],
    [{ response_format: { type: 'grammar', grammar: yesOrNo } }, /^(yes|no)$/],
    [{ guided_grammar: yesOrNo }, /^(yes|no)$/],
    [{ structured_outputs: { grammar: yesOrNo } }, /^(yes|no)$/],
    [{ guided_choice: ['red', 'green', 'green-blue'] }, /^(red|green|green-blue)$/],
    [{ structured_outputs: { choice: ['red', 'green'] } }, /^(red|green)$/],
    [{ guided_regex: String.raw`\d{3}-\d{4}` }, /^\d{3}-\d{4}$/],
    [{ structured_outputs: { regex: '[A-F]{8}' } }, /^[A-F]{8}$/],
    [{ json_schema: schema }, age],
    [{ guided_json: schema }, age],
    [{ guided_json: JSON.stringify(schema) }, age],
    [{ structured_outputs: { json: schema } }, age],
    [{ structured_outputs: { json_object: true } }, /^\{.*\}$/s],
    [{ response_format: { type: 'structural_tag', format: tag } }, /^<a>(yes|no)<\/a>$/],
    [{ structured_outputs: { structural_tag: JSON.stringify({ format: tag }) } }, /^<a>(yes|no)<\/a>$/],
  ];

  test.each(cases)('%j', async (fields, expected) => {
    for (const [path, base, read] of routes.slice(0, 3)) {
      if (path === '/v1/responses' && 'response_format' in fields) continue;
      const { body } = await send(path, { ...base, temperature: 0, num_predict: 60, ...fields });
      expect(read(body).text).toMatch(expected);
    }
  });

  test.each([
    [{ guided_choice: ['a'], guided_regex: 'a' }, 'guided_regex and guided_choice: an answer can have only one format'],
    [{ guided_choice: 'a' }, 'guided_choice: expected an array of strings'],
    [{ guided_choice: [] }, 'the list of choices is empty'],
    [{ guided_regex: '(' }, 'format: the regular expression'],
    [{ guided_json: '{' }, 'guided_json: expected a JSON schema'],
    [{ grammar: 'root ::= (' }, 'format: the grammar cannot be parsed'],
    [{ structured_outputs: { json: schema, choice: ['a'] } }, 'structured_outputs.json and structured_outputs.choice'],
    [{ response_format: { type: 'structural_tag', format: {} } }, 'format.type must be a string'],
    [{ response_format: { type: 'yaml' } }, 'response_format: unknown type'],
  ])('%j is a bad request', async (fields, message) => {
    const { status, body } = await send('/v1/chat/completions', { messages, ...fields });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('token ids and counts', () => {
  const generating: readonly (readonly [string, Body])[] = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Say 👍 and why the sky is blue.' }] }],
    ['/v1/completions', { prompt: 'Say 👍 and why the sky is blue.', raw: false }],
  ];
  const stream = async (path: string, body: Body): Promise<Chunk[]> => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify({ model: 'ember', temperature: 0, stream: true, ...body }),
    });
    return eventsOf(await response.text()).objects as unknown as Chunk[];
  };
  interface Chunk {
    readonly prompt_token_ids?: readonly number[];
    readonly choices: readonly {
      readonly text?: string;
      readonly message?: { readonly content: string; readonly reasoning?: string };
      readonly delta?: { readonly content?: string; readonly reasoning?: string };
      readonly token_ids?: readonly number[];
      readonly prompt_token_ids?: readonly number[];
    }[];
    readonly usage: {
      readonly prompt_tokens: number;
      readonly completion_tokens: number;
      readonly completion_tokens_details: { readonly reasoning_tokens: number };
    };
  }
  const detokenize = async (tokens: readonly number[]): Promise<string> =>
    ((await send('/api/detokenize', { tokens })).body as { text: string }).text;

  test.each(generating)('%s: return_token_ids has those of prompt and answer', async (path, base) => {
    const body: Chunk = (await send(path, { ...base, temperature: 0, return_token_ids: true })).body;
    const [choice] = body.choices;
    const prompt = body.prompt_token_ids ?? choice?.prompt_token_ids ?? [];
    expect(prompt).toHaveLength(body.usage.prompt_tokens);
    expect(await detokenize(prompt)).toContain('why the sky is blue');
    expect(choice?.token_ids).toHaveLength(body.usage.completion_tokens);
    expect((await detokenize(choice?.token_ids ?? [])).replace(/<\|.*\|>$/, '')).toBe(
      choice?.message?.content ?? choice?.text,
    );
    const chunks = await stream(path, { ...base, return_token_ids: true });
    expect(chunks.flatMap(({ choices: [part] }) => part?.token_ids ?? [])).toEqual(choice?.token_ids);
    const prompts = chunks.flatMap((chunk) => chunk.prompt_token_ids ?? chunk.choices[0]?.prompt_token_ids ?? []);
    expect(prompts).toEqual(prompt);
  });

  test.each(generating)('%s: without it there are none', async (path, base) => {
    expect(JSON.stringify((await send(path, { ...base, max_tokens: 3 })).body)).not.toContain('token_ids');
  });

  test.each(generating)('%s: continuous_usage_stats counts in each chunk', async (path, base) => {
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const chunks = await stream(path, { ...base, stream_options });
    const counts = chunks.map(({ usage }) => usage.completion_tokens);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBeGreaterThan(3);
    expect(new Set(chunks.map(({ usage }) => usage.prompt_tokens)).size).toBe(1);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-2)?.usage.completion_tokens).toBe(counts.at(-1));
  });

  test('the tokens of a prediction are counted', async () => {
    interface Predicted extends Chunk {
      readonly usage: Chunk['usage'] & {
        readonly completion_tokens_details: {
          readonly accepted_prediction_tokens?: number;
          readonly rejected_prediction_tokens?: number;
        };
      };
    }
    const ask = async (prediction?: unknown, path = '/v1/chat/completions') =>
      send(path, { messages, seed: 5, stream: false, max_tokens: 60, options: { num_predict: 60 }, prediction });
    const plain: Predicted = (await ask()).body;
    const text = plain.choices[0]?.message?.content ?? '';
    expect(plain.usage.completion_tokens_details).toEqual({ reasoning_tokens: 0 });
    const parts = [{ type: 'text', text }];
    const predicted: Predicted = (await ask({ type: 'content', content: parts })).body;
    expect(predicted.choices[0]?.message?.content).toBeTruthy();
    const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } =
      predicted.usage.completion_tokens_details;
    expect(accepted).toBeGreaterThanOrEqual(0);
    expect(rejected).toBeGreaterThanOrEqual(0);
    const ollama: { message: { content: string } } = (await ask({ type: 'content', content: text }, '/api/chat')).body;
    expect(ollama.message.content).not.toBe('');
    const wrong = await ask({ type: 'content', content: [{ type: 'image_url' }] });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('prediction.content')]);
  });

  test('include_reasoning: false leaves the thinking out', async () => {
    const sum = { model: 'ember-thinks', messages: [{ role: 'user', content: 'What is 12 + 30?' }], temperature: 0 };
    const thought: Chunk = (await send('/v1/chat/completions', sum)).body;
    const without: Chunk = (await send('/v1/chat/completions', { ...sum, include_reasoning: false })).body;
    expect(thought.choices[0]?.message?.reasoning).toBeTruthy();
    const { reasoning: _, ...message } = thought.choices[0]?.message ?? {};
    expect(without.choices[0]?.message).toEqual(message);
    expect(without.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const chunks = await stream('/v1/chat/completions', { ...sum, include_reasoning: false });
    expect(chunks.some(({ choices: [part] }) => part?.delta?.reasoning)).toBe(false);
  });
});

describe('a conversation that is longer than the context', () => {
  const history = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `This is message number ${index} of a long conversation.`,
  }));
  const long = { messages: [...history, { role: 'user', content: 'Hi' }], num_ctx: 256, num_predict: 4 };

  test('is an error, or loses its oldest messages if the request says so', async () => {
    expect((await send('/v1/chat/completions', long)).status).toBe(400);
    const { status, headers } = await send('/v1/chat/completions', { ...long, truncation: 'auto' });
    expect(status).toBe(200);
    expect(Number(headers.get('x-hearth-dropped-messages'))).toBeGreaterThan(10);
    expect((await send('/v1/chat/completions', { ...long, truncation: 'often' })).status).toBe(400);
  });

  test('loses them on every route if the setting says so', async () => {
    const trimming = await startServer({ environment: { HEARTH_TRUNCATE_V1: 'true' } });
    try {
      const post = async (path: string, body: Body) =>
        (await fetch(trimming.url + path, { method: 'POST', body: JSON.stringify({ model: 'ember', ...body }) }))
          .status;
      const { messages: input, ...rest } = long;
      expect(await post('/v1/chat/completions', long)).toBe(200);
      expect(await post('/v1/messages', long)).toBe(200);
      expect(await post('/v1/responses', { input, ...rest })).toBe(200);
      expect(await post('/v1/chat/completions', { ...long, truncation: 'disabled' })).toBe(400);
    } finally {
      await trimming.stop();
    }
  });
});

describe('fields without effect', () => {
  const ignored = async (path: string, body: Body): Promise<string | null> =>
    (await send(path, { ...body, stream: false })).headers.get('x-hearth-ignored');

  test('are named by every route that generates, streamed or not', async () => {
    const few = { num_predict: 1, frobnicate: true };
    for (const [path, base] of routes) expect(await ignored(path, { ...base, ...few })).toBe('frobnicate');
    const streamed = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'ember', messages, ...few, stream: true }),
    });
    expect(streamed.headers.get('x-hearth-ignored')).toBe('frobnicate');
    await streamed.text();
  });

  test('inside of others, and options', async () => {
    const options = { num_predict: 1, no_such_option: 1 };
    const nested = [{ role: 'user', content: 'Hi', mood: 'good' }];
    const expected = 'messages[].mood, options.no_such_option';
    expect(await ignored('/api/chat', { messages: nested, options })).toBe(expected);
    expect(await ignored('/v1/chat/completions', { messages: nested, options })).toBe(expected);
    expect(await ignored('/api/generate', { prompt: 'Hi', options, flavor: 'mint' })).toBe(
      'flavor, options.no_such_option',
    );
  });

  test('tools of other kinds', async () => {
    const tools = [{ type: 'web_search' }];
    expect(await ignored('/v1/chat/completions', { messages, tools, max_tokens: 1 })).toBe('tools.web_search');
    expect(await ignored('/v1/responses', { input: 'Hi', tools, max_output_tokens: 1 })).toBe('tools.web_search');
  });

  test('what SDKs send as labels is not named', async () => {
    const labels = { user: 'me', metadata: { a: 'b' }, store: false, service_tier: 'auto', prompt_cache_key: 'x' };
    expect(await ignored('/v1/chat/completions', { messages, max_tokens: 1, ...labels })).toBeNull();
  });

  test('are refused in strict mode, and nothing else is', async () => {
    const strict = await startServer({ environment: { HEARTH_STRICT_FIELDS: 'true' } });
    try {
      const post = async (path: string, body: Body) => {
        const response = await fetch(strict.url + path, {
          method: 'POST',
          body: JSON.stringify({ model: 'ember', stream: false, ...body }),
        });
        return { status: response.status, text: await response.text() };
      };
      for (const [path, base] of routes) {
        const { status, text } = await post(path, { ...base, num_predict: 1, frobnicate: true });
        expect([status, text]).toEqual([400, expect.stringContaining('a field without effect: frobnicate')]);
        expect((await post(path, { ...base, num_predict: 1 })).status).toBe(200);
      }
      const option = await post('/api/chat', { messages, options: { no_such_option: 1 } });
      expect([option.status, option.text]).toEqual([400, expect.stringContaining('options.no_such_option')]);
    } finally {
      await strict.stop();
    }
  });
});
