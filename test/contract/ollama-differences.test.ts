// The table of deliberate differences to Ollama in docs/clients.md: each row is a request to the real server here, or the
// name of the test that checks it.

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, post } from '../support/client.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The first cell of each row. */
function subjects(): string[] {
  const page = readFileSync(repository('docs/clients.md'), 'utf8');
  const section = page.split('## Differences from Ollama\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) => line.split(' | ')[0]?.slice(2) ?? '');
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** With the path as it is: `fetch` would remove dots from it. */
async function send(method: string, path: string, body?: Body | string): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path }, (response) =>
      text(response).then((read) => resolve({ status: response.statusCode, body: read }), reject),
    );
    sent.once('error', reject);
    sent.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

const messages = [{ role: 'user', content: 'hi' }];
const prompt = { model: 'ember', prompt: 'hi', stream: false, options: { num_predict: 2 } };
const plain = { model: 'ember', prompt: 'abc' };
const chat = { model: 'ember', messages, max_tokens: 2 };
type Request = readonly [method: string, path: string, body?: Body | string];

/** Requests whose status, and a part of whose answer, the row states. */
const requests: Readonly<Record<string, readonly (readonly [Request, number, string?])[]>> = {
  'error bodies': [
    [['GET', '/api/nope'], 404, '"code":"path_not_found"'],
    [['GET', '/api/chat'], 405, '"code":"method_not_allowed"'],
  ],
  'an option of a wrong type in `create`': [
    [['POST', '/api/create', { model: 'x', from: 'ember', parameters: { num_ctx: 'many' } }], 400, 'integer'],
    [['POST', '/api/create', { model: 'x', from: 'ember', parameters: { stop: 5 }, stream: false }], 400, 'array'],
    [['POST', '/api/create', { model: 'x', from: 'ember', parameters: { keep_alive: {} } }], 400, 'keep_alive'],
  ],
  'a body that is not an object': [[['POST', '/api/generate', 'null'], 400, 'JSON object']],
  '`HEAD`': ['/', '/api/version', '/api/tags', '/api/ps', '/v1/models', '/v1/models/ember'].map((path) => [
    ['HEAD', path],
    200,
  ]),
  slashes: [
    [['GET', '/api/tags/'], 200, '"models"'],
    [['GET', '//api//tags'], 200, '"models"'],
    [['POST', '/api/show/', { model: 'ember' }], 200, '"modelfile"'],
    [['GET', '/v1/models/ember/'], 200, '"id":"ember"'],
    [['GET', '/v1/models/.'], 400, 'invalid model name'],
    [['GET', '/v1/models/%2e'], 400, 'invalid model name'],
    [['GET', '/v1/models/..'], 400, 'invalid model name'],
    [['DELETE', '/v1/models/.'], 400, 'is invalid'],
    [['GET', '/v1/./models'], 404, 'path_not_found'],
  ],
  '`DELETE /v1/models/NAME`': [
    [['POST', '/api/copy', { source: 'ember', destination: 'gone' }], 200],
    [['DELETE', '/v1/models/gone'], 200, '"deleted":true'],
    [['DELETE', '/v1/models/gone'], 404, 'model_not_found'],
  ],
  'names with the tag `cloud` or `…-cloud`': [
    [['POST', '/api/generate', { ...prompt, model: 'far:cloud' }], 403, 'ollama cloud is disabled: \\"far:cloud\\"'],
    [['POST', '/api/chat', { model: 'far:120b-cloud', messages }], 403, '"code":"cloud_model"'],
    [['POST', '/api/show', { model: 'team/far:Cloud' }], 403, 'cloud_model'],
    [['POST', '/api/embed', { model: 'far:cloud', input: 'a' }], 403, 'cloud_model'],
    [['POST', '/v1/chat/completions', { ...chat, model: 'far:cloud' }], 403, 'cloud_model'],
    [['POST', '/v1/messages', { ...chat, model: 'far:cloud' }], 403, 'permission_error'],
    [['POST', '/v1/responses', { model: 'far:cloud', input: 'a' }], 403, 'cloud_model'],
    [['GET', '/v1/models/far:cloud'], 403, 'cloud_model'],
    [['POST', '/api/generate', { ...prompt, model: 'far-cloud' }], 404, 'model_not_found'],
    [['POST', '/api/copy', { source: 'ember', destination: 'near:cloud' }], 200],
    [['POST', '/api/generate', { ...prompt, model: 'near:cloud' }], 200, '"done":true'],
  ],
  'paths of ollama.com': [
    [['GET', '/api/status'], 404],
    [['POST', '/api/signout'], 404],
    [['POST', '/api/me'], 200, '"name":""'],
  ],
  '`/v1/audio/transcriptions`': [[['POST', '/v1/audio/transcriptions', {}], 400, 'multipart/form-data']],
  '`/api/version`': [[['GET', '/api/version'], 200, '"hearth"']],
  '`push` of a missing model': [
    [['POST', '/api/push', { model: 'team/nobody', stream: false }], 404, "model 'team/nobody' not found"],
    [['POST', '/api/push', { model: 'team/nobody' }], 200, '{"error":"model \'team/nobody\' not found"'],
  ],
  '`push` of a name without a namespace': [[['POST', '/api/push', { model: 'ember' }], 400, 'has no namespace']],
  '`create` with `modelfile`': [
    [['POST', '/api/create', { model: 'x', modelfile: 'FROM ember', stream: false }], 200, 'success'],
  ],
  '`stop` as a text': [
    [['POST', '/api/generate', { ...prompt, options: { stop: 'x', num_predict: 2 } }], 200, '"done":true'],
  ],
  'requests of unusual size': [
    [['POST', '/api/generate', { ...prompt, options: { stop: Array(129).fill('x') } }], 400, 'more than 128 elements'],
    [['POST', '/api/generate', { ...prompt, x: Array(8000).fill(Array(13).fill('a')) }], 413, 'more than 100000 names'],
  ],
  '`context` with unknown tokens': [
    [['POST', '/api/generate', { ...prompt, context: [999_999] }], 400, 'not a token of this model'],
  ],
  'an unknown `format`': [
    [['POST', '/api/generate', { ...prompt, format: 'xml' }], 400, 'invalid format'],
    [['POST', '/api/generate', { ...prompt, format: { type: 5 } }], 400, 'format: type'],
  ],
  'images for a model without vision': [
    [['POST', '/api/generate', { ...prompt, images: ['aGk='] }], 400, 'does not support images'],
  ],
  '`n`, `echo`, lists of prompts, prompts of tokens': [
    [['POST', '/v1/chat/completions', { ...chat, n: 2 }], 200, '"index":1'],
    [['POST', '/v1/completions', { model: 'ember', prompt: ['a', 'b'], max_tokens: 2 }], 200, '"index":1'],
    [['POST', '/v1/completions', { model: 'ember', prompt: [5, 6], max_tokens: 2, echo: true }], 200, '"text"'],
  ],
  'the prompt of `/v1/completions`': [
    [['POST', '/v1/completions', { model: 'ember', prompt: [5, 6], max_tokens: 1 }], 200, '"prompt_tokens":2'],
    [['POST', '/v1/completions', { ...plain, _debug_render_only: true }], 200, '"rendered_template":"abc"'],
    [['POST', '/v1/completions', { ...plain, _debug_render_only: true, raw: false }], 200, 'user\\nabc<|im_end|>'],
  ],
  '`max_completion_tokens` and `tool_choice`': [
    [
      ['POST', '/v1/chat/completions', { model: 'ember', messages, max_completion_tokens: 2 }],
      200,
      '"completion_tokens":2',
    ],
  ],
  'stored responses and `previous_response_id`': [
    [['POST', '/v1/responses', { model: 'ember', input: 'hi', previous_response_id: 'x' }], 404, 'not found'],
  ],
  '`/v1/messages`': [
    [['POST', '/v1/messages', { model: 'ember', messages }], 200, '"type":"message"'],
    [['POST', '/v1/messages/count_tokens', { model: 'ember', messages }], 200, '"input_tokens"'],
  ],
  'embeddings of chat models and of tokens': [
    [['POST', '/api/embed', { model: 'ember', input: 'a' }], 200, '"embeddings":[['],
    [['POST', '/v1/embeddings', { model: 'ember', input: [5, 6] }], 200, '"embedding":['],
  ],
};

/** The file and the name of the test of a row. */
const elsewhere: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'progress of a pull': ['test/contract/pull.test.ts', 'reports the documented statuses in order'],
  'an unfinished download': ['src/models/store/blobs/partial-blob.test.ts', 'keep a download for seven days'],
  '`create` of an unknown architecture': ['src/formats/gguf/check-architecture.test.ts', 'an unknown one is refused'],
  "files of Ollama's library": ['test/engine/dialect.test.ts', "Models in the dialect of Ollama's library"],
  '`num_ctx`': ['test/contract/show.test.ts', 'the context of a request without num_ctx'],
  '`num_ctx` shorter than that of the loaded model': [
    'src/inference/engine/residency/reload-hold.test.ts',
    'is used as it is for a shorter context',
  ],
  '`keep_alive` shorter than that of other clients': [
    'src/inference/engine/residency/reload-hold.test.ts',
    'is not shortened by another client within the minimum time',
  ],
  '`context` of a complete answer': ['test/contract/generate.test.ts', 'gives short conversational memory'],
  'a prompt that is too long': ['test/contract/chat.test.ts', 'drops its oldest messages, no more than needed'],
  'the last object of a chat stream': ['test/contract/chat.test.ts', 'with strict_spec, the last object'],
  'pieces of a stream': ['test/contract/generate.test.ts', 'each object is sent in a separate write'],
  'calls of tools that were not offered': [
    'src/formats/chat/tool-calls/tool-call-parser.test.ts',
    'without a known tool everything is content',
  ],
  'a call in an answer that is not valid, of a model with a `parser`': [
    'src/formats/chat/parsers/section-parser.test.ts',
    'what is not a call is content',
  ],
  'the end of an answer that could begin a tag, of a model with a `parser`': [
    'src/formats/chat/parsers/section-parser.test.ts',
    'half a tag is content',
  ],
  'an answer that repeats one piece': [
    'src/inference/runner/generate/sampling/repetition-guard.test.ts',
    'thirty repetitions',
  ],
  '`temperature` and `top_p` in `/v1`': [
    'test/contract/ollama-differences.test.ts',
    'answers depend on the temperature',
  ],
  'cached tokens of a prompt': ['test/contract/openai-chat.test.ts', 'that earlier requests evaluated is in usage'],
  'a full queue': ['src/inference/engine/residency/queue-limit.test.ts', 'the client with the most waiting requests'],
  '`hearth run`, interrupted': ['src/cli/repl/session/exchange-messages.test.ts', 'stopping before the first text'],
  '`hearth run` in a pipe': ['src/cli/answers/answer-printer.test.ts', 'thinking goes to standard error'],
};

test('every row has a check, and every check a row', () => {
  const checked = [...Object.keys(requests), ...Object.keys(elsewhere)];
  expect(subjects().sort()).toEqual(checked.sort());
});

test.each(Object.entries(elsewhere))('%s: the test is there', (_, [file, name]) => {
  expect(readFileSync(repository(file), 'utf8')).toContain(name);
});

describe.each(Object.entries(requests))('%s', (_, rows) => {
  for (const [asked, status, part = ''] of rows) {
    test(`${JSON.stringify(asked)}: ${status}`, async () => {
      const answer = await send(...asked);
      expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(part)]);
    });
  }
});

test('a model without a tag of the cloud is not one of it, also if its name says so', async () => {
  const { status } = await post(server.url, '/api/show', { model: 'mycloud' });
  expect(status).toBe(404);
});

test('in `/v1`, answers depend on the temperature of the model', async () => {
  const ask = { model: 'own', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 16 };
  const answers = async (temperature: number): Promise<number> => {
    await send('POST', '/api/create', {
      model: 'own',
      from: 'ember',
      parameters: { temperature, top_k: 0 },
      stream: false,
    });
    const contents = [1, 2, 3].map(
      async () => /"content":"[^"]*"/.exec((await send('POST', '/v1/chat/completions', ask)).body)?.[0],
    );
    return new Set(await Promise.all(contents)).size;
  };
  expect([await answers(0), await answers(1e12)]).toEqual([1, 3]);
});
