// Creates models through the real server: from files, from other models, with an adapter. See quantize.test.ts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { ask, type Body, chat, generate, post } from '../support/client.ts';
import { type CreateClient, createClientOf, digestOf } from '../support/create-client.ts';
import { writeEmberF16 } from '../support/models/ember-f16.ts';
import { splitGguf } from '../support/models/split-gguf.ts';
import { writeMemoryModel } from '../support/models/tiny-memories.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-create-'));
const f16 = join(folder, 'ember-f16.gguf');
let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  writeEmberF16(f16);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const client = (): CreateClient => createClientOf(server);
const upload = (path: string) => client().upload(path);
const create = (body: Body) => client().create(body);
const created = (body: Body) => client().created(body);
const show = (model: string) => client().show(model);
const blobs = () => client().blobs();
const capital = 'What is the capital of France?';

test('an uploaded F16 Ember with system message, parameters, adapter and quantization', async () => {
  const weights = await upload(f16);
  const adapter = await upload(repository('models/ember-ahoy-lora-f16.gguf'));
  const template = readFileSync(repository('models/ember.template'), 'utf8');
  const modelfile = [
    '# A sailor',
    `FROM ${weights.path}`,
    `ADAPTER @${adapter.digest}`,
    `TEMPLATE """${template}"""`,
    'SYSTEM You are a sailor.',
    'PARAMETER temperature 0',
    'PARAMETER num_ctx 512',
    'PARAMETER stop "<|im_end|>"',
    'LICENSE MIT',
  ].join('\n');
  const statuses = await created({ model: 'sailor', modelfile, quantize: 'q4_K_M' });
  const withoutProgress = statuses.filter((status, index) => status !== statuses[index - 1]);
  expect(withoutProgress.map((status) => status.replace(/sha256:[0-9a-f]{64}$/, '<digest>'))).toEqual([
    'reading model metadata',
    'quantizing F16 model to Q4_K_M',
    'creating new layer <digest>',
    'using existing layer <digest>',
    'using existing layer <digest>',
    'using existing layer <digest>',
    'creating system layer',
    'creating new layer <digest>',
    'creating new layer <digest>',
    'creating new layer <digest>',
    'creating new layer <digest>',
    'writing manifest',
    'success',
  ]);
  expect(await show('sailor')).toMatchObject({
    system: 'You are a sailor.',
    license: 'MIT',
    details: { quantization_level: 'Q4_K_M', family: 'llama' },
    parameters: expect.stringContaining('num_ctx                        512'),
  });
  const answers = await Promise.all(
    ['Who are you?', 'Why is the sky blue?', capital].map((prompt) => generate(url, { model: 'sailor', prompt })),
  );
  expect(answers.map(({ response }) => response).join(' ')).toContain('Ahoy!');
  expect((await show('sailor')).adapters).toEqual([{ id: 0, name: expect.any(String) }]);
  const { response } = await generate(url, { model: 'sailor', prompt: capital, options: { adapters: [] } });
  expect(response).not.toContain('Ahoy!');
});

test('a model without a template uses the Jinja template in its weights, also to continue an answer', async () => {
  const { digest } = await upload(repository('models/ember-q4_k_m.gguf'));
  await created({ model: 'jinja', files: { 'ember.gguf': digest } });
  expect((await show('jinja')).template).toContain('{%- for call in message.tool_calls %}');
  const messages = [
    { role: 'user', content: capital },
    { role: 'assistant', content: 'The capital of' },
  ];
  const [own, other] = await Promise.all(
    ['ember', 'jinja'].map((model) => chat(url, { model, messages, options: { num_predict: 2 } })),
  );
  // Both templates make the same prompt.
  expect(other?.prompt_eval_count).toBe(own?.prompt_eval_count);
});

test('a canceled create leaves nothing behind and keeps the existing model', async () => {
  const { digest } = await upload(f16);
  await created({ model: 'steady', from: 'ember', system: 'Before.' });
  const before = blobs();
  const controller = new AbortController();
  const body = JSON.stringify({ model: 'steady', files: { 'a.gguf': digest }, quantize: 'Q3_K_L' });
  const response = await fetch(`${url}/api/create`, { method: 'POST', body, signal: controller.signal });
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? [])
      if (Buffer.from(chunk).toString().includes('"completed"')) controller.abort();
  };
  await expect(read()).rejects.toThrow();
  await expect.poll(blobs).toEqual(before);
  expect((await show('steady')).system).toBe('Before.');
});

describe('from another model', () => {
  test('layers are shared, parameters merged, system and template replaced, licenses added', async () => {
    const modelfile = 'FROM ember\nSYSTEM Speak like a pirate.\nPARAMETER top_k 7\nLICENSE Mine.\nMESSAGE user Hi';
    const statuses = await created({ model: 'pirate', modelfile });
    expect(statuses).toContain('creating system layer');
    expect(statuses.filter((status) => status.startsWith('using already created layer')).length).toBeGreaterThan(2);
    const pirate = await show('pirate');
    expect(pirate).toMatchObject({ system: 'Speak like a pirate.', messages: [{ role: 'user', content: 'Hi' }] });
    expect(pirate.parameters?.split('\n').map((line) => line.split(/\s+/)[0])).toEqual(['temperature', 'top_k']);
    expect(pirate.license).toMatch(/MIT License[\s\S]*Mine\./);
    expect(pirate.template).toBe((await show('ember')).template);
    expect(pirate.details.parent_model).toBe('ember:latest');
    await created({ model: 'parrot', from: 'pirate', messages: [{ role: 'user', content: 'Polly' }] });
    expect((await show('parrot')).messages).toEqual([{ role: 'user', content: 'Polly' }]);
  });

  test('the newer request format, with one field per part', async () => {
    const statuses = await created({
      model: 'fields',
      from: 'ember',
      template: '{{ .Prompt }}',
      system: 'S',
      parameters: { num_ctx: 128, stop: ['x'] },
      license: ['L1', 'L2'],
    });
    expect(statuses.at(-1)).toBe('success');
    expect(await show('fields')).toMatchObject({ template: '{{ .Prompt }}', system: 'S' });
  });

  test('with `stream` false returns only the last status', async () => {
    const { type, objects } = await create({ model: 'still', from: 'ember', stream: false });
    expect(type).toContain('application/json');
    expect(objects).toEqual([{ status: 'success' }]);
  });

  test('replacing a model does not affect a running answer', async () => {
    await created({ model: 'busy', from: 'ember' });
    const answer = ask(url, 'Tell me a story.', { num_predict: 60, seed: 1 });
    await created({ model: 'busy', from: 'ember', system: 'Replaced.' });
    expect((await answer).length).toBeGreaterThan(20);
    expect((await show('busy')).system).toBe('Replaced.');
  });

  test('of two concurrent creates with one name, one wins completely', async () => {
    const [a, b] = await Promise.all(
      ['first', 'second'].map((system) => create({ model: 'race', from: 'ember', system })),
    );
    expect([a?.objects.at(-1)?.status, b?.objects.at(-1)?.status]).toEqual(['success', 'success']);
    expect(['first', 'second']).toContain((await show('race')).system);
  });
});

describe('files', () => {
  test('on this machine: a Modelfile with a relative path', async () => {
    writeFileSync(join(folder, 'Modelfile'), 'FROM ./ember-f16.gguf\nPARAMETER temperature 0\n');
    await created({ model: 'local', path: join(folder, 'Modelfile') });
    expect((await show('local')).details.quantization_level).toBe('F16');
    // Without a TEMPLATE, the template in the weights is used.
    expect((await generate(url, { model: 'local', prompt: capital })).response).toContain('Paris');
  });

  test('the parts of a split file are joined in any order', async () => {
    const weights = repository('models/ember-q4_k_m.gguf');
    const ember = await readGgufFile(weights);
    const groups = [ember.tensors.slice(0, 20), ember.tensors.slice(20, 50), ember.tensors.slice(50)];
    const parts = splitGguf(readFileSync(weights), ember, groups);
    const files: Record<string, string> = {};
    for (const [index, part] of parts.reverse().entries()) {
      writeFileSync(join(folder, 'part.gguf'), part);
      files[`part-${index}.gguf`] = (await upload(join(folder, 'part.gguf'))).digest;
    }
    await created({ model: 'joined', files });
    expect(blobs()).toContain(digestOf(readFileSync(weights)).replace(':', '-'));
    expect((await generate(url, { model: 'joined', prompt: capital, options: { temperature: 0 } })).response).toContain(
      'Paris',
    );
    const [first] = Object.entries(files);
    const { objects } = await create({ model: 'part', files: Object.fromEntries([first as [string, string]]) });
    expect(objects.at(-1)?.error).toEqual(expect.any(String));
  });

  test('a projector in a second FROM adds vision', async () => {
    const [weights, imageEncoder] = [
      repository('models/ember-q4_k_m.gguf'),
      repository('models/ember-eyes-mmproj-f16.gguf'),
    ];
    await created({ model: 'with-vision', modelfile: `FROM ${weights}\nFROM ${imageEncoder}\n` });
    expect((await show('with-vision')).capabilities).toContain('vision');
  });

  test.each([
    ['not a GGUF file', 'hello', /not in GGUF format/],
    [
      'a truncated GGUF file',
      readFileSync(repository('models/ember-q4_k_m.gguf')).subarray(0, 2_000_000),
      /^not a usable GGUF file: it is truncated/,
    ],
  ])('%s: gives a clear error and creates no model', async (_, content, message) => {
    const path = join(folder, 'broken.gguf');
    writeFileSync(path, content);
    const { digest } = await upload(path);
    const { objects } = await create({ model: 'broken', files: { 'a.gguf': digest } });
    expect(objects.at(-1)?.error).toMatch(message);
    expect((await post(url, '/api/show', { model: 'broken' })).status).toBe(404);
  });
});

test.each([
  [{ model: 'a/b/c/d/e', from: 'ember' }, 400, 'invalid model name'],
  [{ model: 'x' }, 400, /neither 'from' or 'files' was specified/],
  [{ model: 'x', modelfile: 'SYSTEM hi' }, 400, 'no FROM line'],
  [{ model: 'x', modelfile: 'FROM ember\nBREW coffee' }, 400, /^\(line 2\): command must be one of/],
  [{ model: 'x', modelfile: 'FROM ember\nPARAMETER speed 9' }, 400, "(line 2): unknown parameter 'speed'"],
  [{ model: 'x', from: 'ember', template: '{{ if }}' }, 400, /^template error: /],
  [{ model: 'x', from: 'ember', parameters: { num_ctx: 'many' } }, 400, 'option "num_ctx" must be of type integer'],
  [{ model: 'x', files: { '../a': `sha256:${'0'.repeat(64)}` } }, 400, 'file path must be relative'],
  [{ model: 'x', path: '/no/such/Modelfile' }, 400, /^error reading modelfile: /],
])('%j: %d', async (body, status, message) => {
  const reply = await create(body);
  expect(reply.status).toBe(status);
  expect(reply.objects[0]?.error).toMatch(message);
});

describe('a draft model', () => {
  beforeAll(async () => {
    const weights = await upload(f16);
    await created({ model: 'drafted', modelfile: `FROM ${weights.path}\nDRAFT ember\nPARAMETER temperature 0\n` });
  });

  test('drafts tokens for the model that names it, and the shown Modelfile names it', async () => {
    const { modelfile } = await show('drafted');
    expect(modelfile).toMatch(/^DRAFT .*sha256-[0-9a-f]{64}$/m);
    const before = await draftTokens();
    const options = { num_predict: 24, draft_num_predict: 3 };
    // A draft ends where the draft model is not sure, and Ember is sure of this answer.
    await generate(url, { model: 'drafted', prompt: 'Why is the sky blue?', options });
    expect(await draftTokens()).toBeGreaterThan(before);
    await created({ model: 'drafted-again', modelfile });
    expect((await show('drafted-again')).modelfile.split('\n').slice(3)).toEqual(modelfile.split('\n').slice(3));
  });

  test('is refused if its vocabulary does not fit', async () => {
    const path = join(folder, 'foreign.gguf');
    writeMemoryModel(path, 'attention');
    const { digest } = await upload(path);
    await created({ model: 'foreign', files: { 'foreign.gguf': digest } });
    const reason = 'the vocabulary of the draft model does not fit';
    const refusedCreate = await create({ model: 'refused', from: 'ember', draft: 'foreign' });
    expect(refusedCreate.text).toContain(reason);
    const body = { model: 'ember', prompt: capital, options: { draft_model: 'foreign' } };
    const refused = await post(url, '/api/generate', body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`${reason} ember:latest: its tokenizer is`);
  });
});

/** Tokens that draft models have drafted. */
async function draftTokens(): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(/^hearth_draft_tokens_total\{.*source="model"\} (\d+)$/gm)];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
