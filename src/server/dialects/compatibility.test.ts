// Requests that clients of Ollama and OpenAI send, and their answers over a fake engine.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi } from '../../../test/support/api-fixture.ts';
import type { FakeClock } from '../../../test/support/fake-clock.ts';
import { answerWith } from '../../../test/support/fake-engine.ts';
import { createServiceFixture, type ServiceFixture, type TestServices } from '../../../test/support/service-fixture.ts';
import { jsonObjectGrammar } from '../../formats/grammar/gbnf/json.ts';
import type { Route } from '../http/route.ts';

let fixture: ServiceFixture;
let services: TestServices;
let api: Api;
beforeAll(async () => {
  fixture = createServiceFixture();
  await fixture.putModel('plain', { template: '{{ .System }}{{ .Prompt }}' });
  await fixture.putModel('thinker', {
    template: '{{ range .Messages }}<think>{{ .Thinking }}</think>{{ .Content }}{{ end }}',
  });
  const embed = () => ({ vectors: [Float32Array.of(3, 4)], tokens: [1] });
  services = fixture.createServices({ answers: new Array(100).fill(answerWith('Hello')), embed });
  api = createApi(services);
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

async function send(path: string, body: object): Promise<{ status: number; text: string }> {
  const route = api.routes.find((one) => one.path === path) as Route;
  const { statusCode, body: text } = await api.send(route, body);
  return { status: statusCode, text };
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat = { model: 'plain', messages, stream: false };
const refusal = { status: 400, text: expect.stringContaining('\\"plain\\" does not support thinking') };

describe('thinking', () => {
  test.each([true, 'high'])('think %s on a model that cannot think is refused', async (think) => {
    expect(await send('/api/chat', { ...chat, think })).toEqual(refusal);
    expect(await send('/api/generate', { model: 'plain', prompt: 'Hi', think })).toEqual(refusal);
  });

  test('so is an effort of the OpenAI dialect', async () => {
    expect(await send('/v1/chat/completions', { ...chat, reasoning_effort: 'low' })).toEqual(refusal);
    expect((await send('/v1/chat/completions', { ...chat, reasoning_effort: 'none' })).status).toBe(200);
  });

  test('think false is accepted by every model, think true by a model that can', async () => {
    expect((await send('/api/chat', { ...chat, think: false })).status).toBe(200);
    expect((await send('/api/chat', { ...chat, model: 'thinker', think: true })).status).toBe(200);
  });
});

describe('names', () => {
  test('spaces around a name are ignored', async () => {
    expect((await send('/api/chat', { ...chat, model: ' plain ' })).status).toBe(200);
    expect((await send('/api/show', { model: 'plain\n' })).status).toBe(200);
  });

  test.each([
    ['/api/generate', { model: 'nosuch' }, 404, "model 'nosuch' not found"],
    ['/api/generate', {}, 404, "model '' not found"],
    ['/api/chat', { model: 'nosuch', messages }, 404, "model 'nosuch' not found"],
    ['/api/chat', { messages }, 400, 'model is required'],
    ['/api/embed', { model: 'nosuch', input: 'a' }, 404, 'model "nosuch" not found, try pulling it first'],
    ['/api/embed', { model: '', input: 'a' }, 404, "model '' not found"],
    ['/api/embeddings', { prompt: 'a' }, 400, 'model is required'],
    ['/api/show', { model: 'nosuch' }, 404, "model 'nosuch:latest' not found"],
    ['/api/show', {}, 400, 'model is required'],
    ['/api/delete', { model: 'nosuch' }, 404, "model 'nosuch' not found"],
    ['/api/copy', { source: 'nosuch', destination: 'b' }, 404, 'model "nosuch" not found'],
  ])('%s %j', async (path, body, status, message) => {
    const answer = await send(path, body);
    expect([answer.status, JSON.parse(answer.text)['error']]).toEqual([status, message]);
  });
});

describe('completions', () => {
  test.each([{}, { prompt: '' }, { prompt: null }, { prompt: [] }])('%j only loads the model', async (body) => {
    const before = services.engine.generated.length;
    const { status, text } = await send('/v1/completions', { model: 'plain', ...body });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ text: '', finish_reason: 'load' }],
      usage: { total_tokens: 0 },
    });
    expect(services.engine.generated).toHaveLength(before);
  });

  test('in a stream, too', async () => {
    const { text } = await send('/v1/completions', { model: 'plain', stream: true });
    expect(text).toMatch(/^data: \{.*"finish_reason":"load".*\}\n\ndata: \[DONE\]\n\n$/);
  });

  test('max_tokens 0 is no limit', async () => {
    await send('/v1/completions', { model: 'plain', prompt: 'Hi', max_tokens: 0 });
    expect(services.engine.generated.at(-1)?.options.numPredict).toBe(-1);
  });

  test('a random seed stays random for every choice', async () => {
    await send('/v1/completions', { model: 'plain', prompt: 'Hi', n: 2, seed: -1 });
    expect(services.engine.generated.slice(-2).map(({ options }) => options.seed)).toEqual([-1, -1]);
  });
});

describe('embeddings', () => {
  test('/api/embeddings returns the vector of /api/embed, of length 1', async () => {
    expect(JSON.parse((await send('/api/embed', { model: 'plain', input: 'a' })).text).embeddings).toEqual([
      [0.6, 0.8],
    ]);
    expect(JSON.parse((await send('/api/embeddings', { model: 'plain', prompt: 'a' })).text)).toEqual({
      embedding: [0.6, 0.8],
    });
  });

  test.each(['float', 'Float', 'base64', 'BASE64'])('encoding_format %s', async (encoding_format) => {
    expect((await send('/v1/embeddings', { model: 'plain', input: 'a', encoding_format })).status).toBe(200);
  });
});

describe('create and show', () => {
  test.each<[string, object]>([
    ['in a Modelfile', { modelfile: 'FROM plain\nRENDERER qwen3-coder\nPARSER qwen3-coder' }],
    ['in JSON', { from: 'plain', renderer: 'qwen3-coder', parser: 'qwen3-coder' }],
  ])('a renderer and a parser %s are shown, and the shown Modelfile creates the same model', async (_, recipe) => {
    await send('/api/create', { model: 'coder', ...recipe });
    const shown = JSON.parse((await send('/api/show', { model: 'coder' })).text);
    expect(shown).toMatchObject({ renderer: 'qwen3-coder', parser: 'qwen3-coder' });
    expect(shown.capabilities).toContain('tools');
    expect(shown.modelfile).toMatch(/^RENDERER qwen3-coder\nPARSER qwen3-coder$/m);
    await send('/api/create', { model: 'again', modelfile: shown.modelfile });
    const again = JSON.parse((await send('/api/show', { model: 'again' })).text);
    expect(again).toMatchObject({ renderer: 'qwen3-coder', parser: 'qwen3-coder', capabilities: shown.capabilities });
  });

  test('a model without a renderer and a parser shows none', async () => {
    const shown = JSON.parse((await send('/api/show', { model: 'plain' })).text);
    expect(Object.keys(shown)).not.toContain('renderer');
    expect(shown.modelfile).not.toMatch(/RENDERER|PARSER/);
  });

  test.each([{ stop: [[1]] }, { temperature: ['hot'] }, { seed: {} }])(
    'show with options %j: an error of its own',
    async (options) => {
      const { status, text } = await send('/api/show', { model: 'plain', options });
      expect([status, JSON.parse(text).code]).toEqual([500, 'bad_option']);
    },
  );

  test.each([[], ['a']])('show with options %j', async (...options) => {
    expect((await send('/api/show', { model: 'plain', options })).status).toBe(options.length === 0 ? 200 : 400);
  });

  test('show prints known options only', async () => {
    const options = { temperature: 0.5, nonsense: { a: 1 } };
    const { modelfile } = JSON.parse((await send('/api/show', { model: 'plain', options })).text);
    expect(modelfile).toContain('PARAMETER temperature 0.5');
    expect(modelfile).not.toContain('nonsense');
  });
});

test.each([
  ['/api/chat', { messages }],
  ['/api/generate', { prompt: 'Hi' }],
])('%s: the progress of a prompt is in the streams that ask for it', async (path, body) => {
  const progress = { type: 'progress', evaluated: 512, total: 2048 } as const;
  const answering = fixture.createServices({ answers: new Array(3).fill([progress, ...answerWith('Hello')]) });
  const other = createApi(answering);
  const route = other.routes.find((one) => one.path === path) as Route;
  // Parts of a stream are collected for a moment.
  const time = setInterval(() => (answering.clock as FakeClock).advance(100), 1);
  const ask = async (fields: object): Promise<string> =>
    (await other.send(route, { model: 'plain', ...body, ...fields })).body;
  const lines = (await ask({ prompt_progress: true })).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ done: false, prompt_progress: { evaluated: 512, total: 2048 } });
  expect(lines.filter((line) => line.includes('prompt_progress'))).toHaveLength(1);
  expect(await ask({ prompt_progress: true, stream: false })).not.toContain('progress');
  await ask({});
  expect(answering.engine.generated.map(({ wantProgress = false }) => wantProgress)).toEqual([true, true, false]);
  clearInterval(time);
  await other.close();
});

describe('keywords of a schema that a grammar cannot enforce', () => {
  const schema = { type: 'object', properties: { ä: { type: 'array', uniqueItems: true }, n: { multipleOf: 0.5 } } };
  const expected = 'properties["\\u00e4"].uniqueItems, properties.n.multipleOf';
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } };

  test.each([
    ['/api/chat', { ...chat, format: schema }],
    ['/api/generate', { model: 'plain', prompt: 'Hi', stream: false, format: schema }],
    ['/v1/chat/completions', { ...chat, response_format: format }],
  ])('%s names them in a header and in the log', async (path, body) => {
    services.logs.length = 0;
    const { statusCode, headers } = await api.send(api.routes.find((one) => one.path === path) as Route, body);
    expect([statusCode, headers['x-hearth-unenforced-keywords']]).toEqual([200, expected]);
    expect(services.logs.join()).toContain('keywords of a schema are not enforced');
  });

  describe('a complete answer is compared with the schema', () => {
    const list = { type: 'array', items: { type: 'integer' }, uniqueItems: true };
    const listFormat = { type: 'json_schema', json_schema: { name: 'x', schema: list } };
    const text = { format: { type: 'json_schema', name: 'x', schema: list } };
    const output_config = { format: { type: 'json_schema', schema: list } };
    const ask = async (answer: string, path: string, body: object): Promise<string> => {
      const answering = fixture.createServices({ answers: [answerWith(answer)] });
      const other = createApi(answering);
      const route = other.routes.find((one) => one.path === path) as Route;
      const reply = await other.send(route, { model: 'plain', messages, ...body });
      await other.close();
      expect(reply.statusCode).toBe(200);
      return reply.body;
    };
    const paths: readonly (readonly [string, object])[] = [
      ['/v1/chat/completions', { response_format: listFormat }],
      ['/v1/completions', { prompt: 'Hi', response_format: listFormat }],
      ['/v1/responses', { input: 'Hi', text }],
      ['/v1/messages', { max_tokens: 100, output_config }],
    ];

    test.each([
      ['/api/chat', { format: list, stream: false }],
      ['/api/generate', { prompt: 'Hi', format: list, stream: false }],
      ...paths.flatMap(([path, body]) => [true, false].map((stream) => [path, { ...body, stream }] as const)),
    ] as const)('%s %j', async (path, body) => {
      expect(await ask('[1, 1]', path, body)).toContain('"schema_violations":["uniqueItems"]');
      expect(await ask('[1, 2]', path, body)).toContain('"schema_violations":[]');
      expect(await ask('[1, ', path, body)).not.toContain('schema_violations');
    });
  });

  test('an enforced schema has no such header', async () => {
    const { statusCode, headers } = await api.send(api.routes.find((one) => one.path === '/api/chat') as Route, {
      ...chat,
      format: {},
    });
    expect([statusCode, headers['x-hearth-unenforced-keywords']]).toEqual([200, undefined]);
    expect(services.engine.generated.at(-1)?.grammar).toBe(jsonObjectGrammar);
  });
});
