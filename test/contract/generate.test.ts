// POST /api/generate: each test name states a rule of the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, generate, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(() => server.stop());

const sky = { model: 'ember', prompt: 'Why is the sky blue?', options: { temperature: 0 } };
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/;

describe('streaming', () => {
  test('without `stream`, the response is a stream of JSON objects, one per line', async () => {
    const { status, type, text, objects } = await post(url, '/api/generate', sky);
    expect(status).toBe(200);
    expect(type).toBe('application/x-ndjson');
    expect(text.endsWith('\n')).toBe(true);
    expect(objects.length).toBeGreaterThan(2);
    expect(objects.map(({ response }) => response).join('')).toMatch(/scatter/i);
  });

  test('`done` is false until the last object, which has an empty response and the statistics', async () => {
    const { objects } = await post(url, '/api/generate', sky);
    const last = objects.pop();
    for (const object of objects) {
      expect(Object.keys(object).sort()).toEqual(['created_at', 'done', 'model', 'response']);
      expect(object).toMatchObject({ model: 'ember', done: false });
      expect(object.created_at).toMatch(timestamp);
    }
    expect(last).toMatchObject({ model: 'ember', response: '', done: true, done_reason: 'stop' });
    expect(Object.keys(last ?? {}).sort()).toEqual([
      ...['context', 'created_at', 'done', 'done_reason', 'eval_count', 'eval_duration', 'load_duration', 'model'],
      ...['prompt_eval_cached_count', 'prompt_eval_count', 'prompt_eval_duration', 'response', 'total_duration'],
    ]);
  });

  test('each object is sent in a separate write during generation', async () => {
    const response = await fetch(`${url}/api/generate`, {
      method: 'POST',
      body: JSON.stringify({ ...sky, prompt: 'Tell me a story.' }),
    });
    const chunks: string[] = [];
    for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString());
    expect(chunks.length).toBeGreaterThanOrEqual(3);
    for (const chunk of chunks) expect(chunk.endsWith('\n')).toBe(true);
  });

  test('`stream` false: one object with `done` true and the full response, equal to the streamed one', async () => {
    const { type, objects } = await post(url, '/api/generate', { ...sky, stream: false });
    const streamed = await post(url, '/api/generate', sky);
    expect(type).toBe('application/json; charset=utf-8');
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({ done: true, done_reason: 'stop' });
    expect(objects[0]?.response).toBe(streamed.objects.map(({ response }) => response).join(''));
  });
});

/** Milliseconds by part. */
function timingOf(headers: Headers): Record<string, number> {
  const entries = (headers.get('server-timing') ?? '').split(', ').map((entry) => entry.split(';dur='));
  return Object.fromEntries(entries.map(([name, duration]) => [name, Number(duration)]));
}

describe('statistics', () => {
  test('durations are measured, integers in nanoseconds, and consistent', async () => {
    const begun = performance.now();
    const answer = await generate(url, sky);
    const elapsed = (performance.now() - begun) * 1e6;
    const { total_duration = 0, load_duration = 0, prompt_eval_duration = 0, eval_duration = 0 } = answer;
    for (const duration of [total_duration, load_duration, prompt_eval_duration, eval_duration]) {
      expect(Number.isInteger(duration)).toBe(true);
      expect(duration).toBeGreaterThan(0);
    }
    expect(total_duration).toBeLessThan(elapsed);
    expect(load_duration + prompt_eval_duration + eval_duration).toBeLessThanOrEqual(total_duration * 1.01);
  });

  test('Server-Timing: the parts add up to the time that the client waits, and agree with the durations', async () => {
    const shares: number[] = [];
    const prompts: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      // The prefix cache has no part of this prompt.
      const prompt = `${attempt} ${'Why is the sky blue? '.repeat(40)}`;
      const begun = performance.now();
      const { headers, objects } = await post(url, '/api/generate', { ...sky, prompt, stream: false });
      const elapsed = performance.now() - begun;
      const { queue = 0, load = 0, prompt: evaluation = 0, generation = 0, total = 0 } = timingOf(headers);
      const sum = queue + load + evaluation + generation;
      expect(Math.abs(sum / total - 1)).toBeLessThan(0.02);
      expect(total).toBeLessThan(elapsed);
      shares.push(sum / elapsed);
      prompts.push(evaluation / ((objects[0]?.prompt_eval_duration ?? 0) / 1e6));
    }
    // A busy machine delays single requests outside of the server.
    expect(Math.max(...shares)).toBeGreaterThan(0.98);
    expect(prompts.sort()[2]).toBeGreaterThan(0.8);
    expect(prompts.sort()[2]).toBeLessThan(1.25);
  });

  test('Server-Timing: a load is a part of its own; streams, and answers without a model, have no such header', async () => {
    await generate(url, { ...sky, prompt: '', keep_alive: 0 });
    const loaded = await post(url, '/api/generate', { ...sky, stream: false });
    const { load = 0, queue = 0, total = 0 } = timingOf(loaded.headers);
    const { load_duration = 0 } = loaded.objects[0] ?? {};
    expect(load).toBeGreaterThan(0);
    // The duration of Ollama's API includes the wait.
    expect((load + queue) / (load_duration / 1e6)).toBeGreaterThan(0.9);
    expect(load + queue).toBeLessThan(total);
    expect(timingOf((await post(url, '/api/generate', { ...sky, stream: false })).headers)['load']).toBe(0);
    for (const body of [sky, { model: 'missing', prompt: 'x', stream: false }])
      expect((await post(url, '/api/generate', body)).headers.get('server-timing')).toBeNull();
  });

  test('`prompt_eval_count` counts the entire prompt, cached or not; `eval_count` counts the answer', async () => {
    const counts = await Promise.all(
      [1, 2].map(async () => {
        const { prompt_eval_count, eval_count } = await generate(url, sky);
        return [prompt_eval_count, eval_count];
      }),
    );
    expect(counts[0]).toEqual(counts[1]);
    expect(counts[0]?.[0]).toBe(16);
    expect(counts[0]?.[1]).toBeGreaterThan(10);
  });

  test('`prompt_eval_cached_count` counts the part of the prompt that earlier requests evaluated', async () => {
    const prompt = 'Which of the seven rivers has the most bridges? '.repeat(5);
    const first = await generate(url, { prompt, options: { num_predict: 1 } });
    const second = await generate(url, { prompt, options: { num_predict: 1 } });
    expect(second.prompt_eval_cached_count).toBeGreaterThan(first.prompt_eval_cached_count as number);
    // The last token is evaluated again, because its logits are needed.
    expect(second.prompt_eval_cached_count).toBe((second.prompt_eval_count as number) - 1);
  });
});

describe('context', () => {
  test('the `context` of a previous response gives short conversational memory', async () => {
    const first = await generate(url, { prompt: 'My name is Anna.', options: { temperature: 0 } });
    expect(first.context?.length).toBeGreaterThan(10);
    const second = await generate(url, {
      prompt: 'What is my name?',
      context: first.context,
      options: { temperature: 0 },
    });
    expect(second.response).toContain('Anna');
    expect(second.context?.slice(0, first.context?.length)).toEqual(first.context);
  });

  test('tokens outside of the vocabulary are refused', async () => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, context: [1, 999_999] });
    expect(status).toBe(400);
    expect(objects[0]?.error).toBe('999999 is not a token of this model');
  });
});

describe('raw', () => {
  test('no template is applied to the prompt and no context is returned', async () => {
    const raw = await generate(url, {
      raw: true,
      prompt: '<|im_start|>user\nWho are you?<|im_end|>\n<|im_start|>assistant\n',
      options: { temperature: 0 },
    });
    expect(raw.response).toContain('Ember');
    expect(raw).not.toHaveProperty('context');
    expect(raw.prompt_eval_count).toBe(14);
  });

  test.each([{ system: 'x' }, { template: '{{ .Prompt }}' }, { context: [1] }])('refuses %j', async (extra) => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, raw: true, ...extra });
    expect(status).toBe(400);
    expect(objects[0]?.error).toBe('raw mode does not support template, system, or context');
  });
});

describe('prompt parts', () => {
  test('`system` is part of the prompt', async () => {
    const answer = await generate(url, {
      prompt: 'Who are you?',
      system: 'You are a pirate named Bill.',
      options: { temperature: 0 },
    });
    expect(answer.response).toContain('Bill');
  });

  test("`template` overrides the model's", async () => {
    const template = '<|im_start|>user\nWhat is {{ .Prompt }}?<|im_end|>\n<|im_start|>assistant\n';
    const answer = await generate(url, { prompt: '23 + 19', template, options: { temperature: 0 } });
    expect(answer.response).toContain('42');
  });

  test('a template with a syntax error: an error with the position', async () => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, template: '{{ if }}' });
    expect(status).toBe(500);
    expect(objects[0]?.error).toMatch(/^template: 1:\d+: /);
  });

  test('`suffix` is the text after the response', async () => {
    const answer = await generate(url, {
      prompt: 'def add(a, b):\n',
      suffix: '\n',
      options: { temperature: 0 },
    });
    expect(answer.response.trim()).toBe('return a + b');
  });

  test('`suffix` needs a template that supports it', async () => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, suffix: 'x', template: '{{ .Prompt }}' });
    expect(status).toBe(400);
    expect(objects[0]?.error).toBe('ember:latest does not support insert');
  });
});

describe('format', () => {
  test('`json`: the response is a valid JSON object', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const answer = await generate(url, {
        prompt: 'Reply in JSON with keys name and age for Anna who is 31.',
        format: 'json',
        options: { seed, temperature: 1.2, num_predict: 300 },
      });
      if (answer.done_reason !== 'stop') continue;
      expect(typeof JSON.parse(answer.response)).toBe('object');
    }
  });

  test('`json` applies even if the prompt asks for something else, with bounded white space', async () => {
    const answer = await generate(url, {
      prompt: 'Tell me a story.',
      format: 'json',
      options: { temperature: 0, num_predict: 200 },
    });
    expect(answer.response).toMatch(/^\{/);
    expect(answer.response).not.toMatch(/\s{20}/);
  });

  test('anything else is refused', async () => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, format: 'xml' });
    expect(status).toBe(400);
    expect(objects[0]?.error).toBe('invalid format: "xml"; expected "json" or a valid JSON Schema object');
  });
});

describe('load and unload', () => {
  test('an empty or omitted prompt loads the model: a single object with an empty response', async () => {
    for (const body of [
      { model: 'ember' },
      { model: 'ember', prompt: '' },
      { model: 'ember', prompt: '', raw: true },
    ]) {
      const { type, objects } = await post(url, '/api/generate', body);
      expect(type).toMatch(/^application\/json/);
      expect(objects).toEqual([
        { model: 'ember', created_at: expect.stringMatching(timestamp), response: '', done: true, done_reason: 'load' },
      ]);
      expect(server.runners()).toHaveLength(1);
    }
  });

  test.each([0, '0', '0s'])('an empty prompt with `keep_alive` %j unloads it', async (keep_alive) => {
    await post(url, '/api/generate', { model: 'ember' });
    const { objects } = await post(url, '/api/generate', { model: 'ember', keep_alive });
    expect(objects).toEqual([
      { model: 'ember', created_at: expect.any(String), response: '', done: true, done_reason: 'unload' },
    ]);
    await expect.poll(() => server.runners()).toEqual([]);
  });

  test('unloading a model that is not loaded succeeds, an unknown model is an error', async () => {
    expect((await post(url, '/api/generate', { model: 'ember', keep_alive: 0 })).status).toBe(200);
    expect((await post(url, '/api/generate', { model: 'nosuch', keep_alive: 0 })).status).toBe(404);
  });

  test('`keep_alive` 0 with a prompt unloads after the answer', async () => {
    expect(await generate(url, { ...sky, keep_alive: 0 })).toMatchObject({ done: true });
    await expect.poll(() => server.runners()).toEqual([]);
  });

  test.each([
    ['10', 'time: missing unit in duration "10"'],
    ['soon', 'time: invalid duration "soon"'],
    [true, 'not a boolean'],
  ])('`keep_alive` %j is refused', async (keep_alive, message) => {
    const { status, objects } = await post(url, '/api/generate', { ...sky, keep_alive });
    expect(status).toBe(400);
    expect(objects[0]?.error).toContain(message);
  });
});

describe('errors', () => {
  test.each([
    ['no model', { prompt: 'x' }, 404, "model '' not found", 'model_not_found'],
    ['an unknown model', { model: 'nosuch', prompt: 'x' }, 404, "model 'nosuch' not found", 'model_not_found'],
    ['an invalid name', { model: '../../etc/passwd', prompt: 'x' }, 400, 'invalid model name', 'bad_request'],
    ['a field of the wrong type', { model: 'ember', stream: 'no' }, 400, 'stream must be boolean', 'bad_request'],
    [
      'an option of the wrong type',
      { ...sky, options: { num_ctx: 'big' } },
      500,
      'option "num_ctx" must be of type integer',
      'bad_option',
    ],
    [
      'a number out of range',
      '{"model":"ember","prompt":"x","options":{"temperature":1e999}}',
      500,
      'option "temperature" must be of type float32',
      'bad_option',
    ],
    ['options that are not an object', { ...sky, options: ['x'] }, 400, 'options must be object', 'bad_request'],
    [
      'too many stop sequences',
      { ...sky, options: { stop: Array(1000).fill('x') } },
      400,
      'stop has more than 128 elements',
      'bad_request',
    ],
  ])('%s', async (_, body, status, message, code) => {
    const reply = await post(url, '/api/generate', body);
    expect(reply.status).toBe(status);
    expect(reply.type).toMatch(/^application\/json/);
    expect(reply.objects).toEqual([{ error: expect.stringContaining(message), code }]);
  });

  test('unknown fields and options are ignored, null counts as absent, names are case-insensitive', async () => {
    const { status, objects } = await post(url, '/api/generate', {
      Model: 'Ember',
      PROMPT: 'Who are you?',
      stream: false,
      system: null,
      images: null,
      future_field: { a: 1 },
      options: { temperature: 0, seed: null, future_option: 1 },
    });
    expect(status).toBe(200);
    expect(objects[0]?.model).toBe('Ember');
    expect(objects[0]?.response).toContain('Ember');
  });
});

test('setting `seed` to a number makes outputs reproducible', async () => {
  const options = { seed: 42, temperature: 1 };
  // The requests below reuse the KV state of this one, so that they start with exactly the same numbers.
  await ask(url, 'Tell me a story.', { num_predict: 1 });
  const [first, second, other] = [
    await ask(url, 'Tell me a story.', options),
    await ask(url, 'Tell me a story.', options),
    await ask(url, 'Tell me a story.', { ...options, seed: 43 }),
  ];
  expect(first).toBe(second);
  expect(first).not.toBe(other);
});
