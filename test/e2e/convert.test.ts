// Creates models from safetensors folders through the real server, and loads every result with llama.cpp.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenizeResponseBody } from '../../src/server/dialects/hearth/generation/tokens-schema.ts';
import type { EmbedResponseBody } from '../../src/server/dialects/ollama/generation/embed-schema.ts';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import type { RerankResponseBody } from '../../src/server/dialects/rerank/rerank-schema.ts';
import { adapterFiles, checkpoints, writeFiles } from '../support/checkpoints/checkpoints.ts';
import type { Files } from '../support/checkpoints/tokenizers.ts';
import { type Body, generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-convert-'));
let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const filesOf = (name: string): Files => checkpoints[name]?.() as Files;

async function upload(files: Files): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [name, content] of Object.entries(files)) {
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    await fetch(`${url}/api/blobs/${digest}`, { method: 'POST', body: new Uint8Array(content) });
    digests[name] = digest;
  }
  return digests;
}

const create = (body: Body) => post<ProgressResponseBody>(url, '/api/create', body);
async function created(body: Body): Promise<ProgressResponseBody[]> {
  const { status, objects, text } = await create(body);
  if (status !== 200 || objects.at(-1)?.status !== 'success') throw new Error(text);
  return objects;
}
const show = async (model: string) =>
  (await post<ShowResponseBody>(url, '/api/show', { model })).objects[0] as ShowResponseBody;
const blobs = (): string[] => readdirSync(join(server.store, 'blobs')).sort();

const brief = { num_ctx: 64, num_predict: 2, temperature: 0 };

describe('llama.cpp loads every family', () => {
  test.each(Object.keys(checkpoints))('%s', async (name) => {
    await created({ model: name, files: await upload(filesOf(name)) });
    const { capabilities = [] } = await show(name);
    if (capabilities.includes('completion')) {
      const { eval_count: tokens } = await generate(url, { model: name, prompt: 'hello', raw: true, options: brief });
      expect(tokens).toBeGreaterThan(0);
    } else if (capabilities.includes('embedding')) {
      const { objects } = await post<EmbedResponseBody>(url, '/api/embed', { model: name, input: 'hello world' });
      expect(objects[0]?.embeddings[0]?.length).toBeGreaterThan(0);
    } else {
      const { objects } = await post<RerankResponseBody>(url, '/api/rerank', {
        model: name,
        query: 'hello',
        documents: ['hello world', 'world'],
      });
      expect(objects[0]?.results).toHaveLength(2);
    }
    await generate(url, { model: name, keep_alive: 0 }).catch(() => {});
  });
});

test('progress, details and the stated context length', async () => {
  const progress = await created({ model: 'described', files: await upload(filesOf('bert')) });
  const converting = progress.filter(({ status }) => status === 'converting model');
  expect(converting.at(-1)?.completed).toBe(converting.at(-1)?.total);
  const { details, parameters, capabilities } = await show('described');
  expect(details).toMatchObject({ family: 'bert', quantization_level: 'F16' });
  expect(parameters).toMatch(/num_ctx\s+24/);
  expect(capabilities).toEqual(['embedding']);
});

test('a text is cut at the length that the model states', async () => {
  await created({ model: 'cut', files: await upload(filesOf('bert')) });
  const input = 'a '.repeat(60);
  const { objects } = await post<EmbedResponseBody>(url, '/api/embed', { model: 'cut', input });
  expect(objects[0]?.prompt_eval_count).toBe(24);
});

test('quantization in the same request keeps only the result', async () => {
  const files = await upload(filesOf('llama-3'));
  const before = blobs();
  const progress = await created({ model: 'quantized', files, quantize: 'q8_0' });
  expect(progress.map(({ status }) => status)).toContain('quantizing BF16 model to Q8_0');
  expect((await show('quantized')).details?.quantization_level).toBe('Q8_0');
  // The weights and the configuration of the model; the file between the steps is removed.
  await expect.poll(() => blobs().filter((blob) => !before.includes(blob)).length).toBe(2);
  const { eval_count: tokens } = await generate(url, {
    model: 'quantized',
    prompt: 'hello',
    raw: true,
    options: brief,
  });
  expect(tokens).toBeGreaterThan(0);
});

test('texts are split into the tokens of the vocabulary', async () => {
  const { objects } = await post<TokenizeResponseBody>(url, '/api/tokenize', {
    model: 'llama-3',
    text: 'hello world',
  });
  // Merged tokens follow the 256 bytes: `hello` is the fourth merge, ` world` the ninth.
  expect(objects[0]?.tokens.slice(-2)).toEqual([259, 264]);
});

test('an adapter changes the answers of its model', async () => {
  await created({ model: 'adapted', from: 'llama-3', adapters: await upload(adapterFiles()) });
  const logprobsOf = async (model: string) =>
    (await generate(url, { model, prompt: 'hello', raw: true, logprobs: true, options: brief })).logprobs?.[0]?.logprob;
  expect(await logprobsOf('adapted')).not.toBe(await logprobsOf('llama-3'));
});

describe('hearth create', () => {
  test('FROM a folder uploads its files and creates the model', async () => {
    writeFiles(join(folder, 'bert'), filesOf('bert'));
    const input = 'FROM ./bert\n';
    const { code, stderr } = await hearth(['create', 'from-folder', '-f', '-'], { url, cwd: folder, input });
    expect({ code, stderr: stderr.slice(-200) }).toMatchObject({ code: 0 });
    expect((await show('from-folder')).parameters).toMatch(/num_ctx\s+24/);
  });

  test('ADAPTER a folder', async () => {
    writeFiles(join(folder, 'lora'), adapterFiles());
    const input = 'FROM llama-3\nADAPTER ./lora\n';
    expect(await hearth(['create', 'from-lora', '-f', '-'], { url, cwd: folder, input })).toMatchObject({ code: 0 });
  });
});

describe('is refused', () => {
  test('an unknown architecture, with the list of known ones', async () => {
    const files = { ...filesOf('bert'), 'config.json': Buffer.from('{"architectures":["MambaForCausalLM"]}') };
    const { text } = await create({ model: 'refused', files: await upload(files) });
    expect(text).toMatch(/"MambaForCausalLM\\" is not known; known are (\w+, )*LlamaForCausalLM, /);
  });

  test('weights without config.json', async () => {
    const { 'model.safetensors': weights } = filesOf('bert');
    const { text } = await create({
      model: 'refused',
      files: await upload({ 'model.safetensors': weights as Buffer }),
    });
    expect(text).toContain('the model cannot be converted: config.json is missing');
  });

  test('an adapter for another model', async () => {
    const { text } = await create({ model: 'refused', from: 'bert', adapters: await upload(adapterFiles()) });
    expect(text).toContain('a bert model has no tensor model.layers.0.self_attn.q_proj.weight');
  });
});
