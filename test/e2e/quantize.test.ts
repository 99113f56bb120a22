// Creates quantized models through the real server.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileTypeOf, isUnquantized, type Quantization, quantizations } from '../../src/models/quantization.ts';
import { generate } from '../support/client.ts';
import { type CreateClient, createClientOf, digestOf } from '../support/create-client.ts';
import { quantizeDirectly, writeEmberF16 } from '../support/models/ember-f16.ts';
import { writeTinyLlama } from '../support/models/tiny-llama.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-quantize-'));
const f16 = join(folder, 'ember-f16.gguf');
const tiny = join(folder, 'tiny-f16.gguf');
const capital = 'What is the capital of France?';
let server: TestServer;
let url: string;
let client: CreateClient;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  client = createClientOf(server);
  writeEmberF16(f16);
  writeTinyLlama(join(folder, 'tiny.gguf'), 7);
  quantizeDirectly(join(folder, 'tiny.gguf'), tiny, fileTypeOf('F16'));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const types = quantizations.filter((name) => !isUnquantized(name));
const usual: readonly Quantization[] = ['Q2_K', 'Q3_K_S', 'Q4_0', 'Q4_K_M', 'Q5_1', 'Q6_K', 'Q8_0'];

test.each(thoroughly(types, usual))("%s: writes the same bytes as llama.cpp's quantizer", async (type) => {
  const { digest } = await client.upload(tiny);
  const model = `tiny-${type.toLowerCase()}`;
  await client.created({ model, files: { 'tiny.gguf': digest }, quantize: type });
  expect((await client.show(model)).details.quantization_level).toBe(type);
  const direct = join(folder, 'direct.gguf');
  quantizeDirectly(tiny, direct, fileTypeOf(type));
  expect(client.blobs()).toContain(digestOf(readFileSync(direct)).replace(':', '-'));
});

test.each(thoroughly<readonly string[]>(types, ['q4_K_M', 'q8_0']))('%s: the model still answers', async (type) => {
  const { digest } = await client.upload(f16);
  const model = `ember-${type.toLowerCase()}`;
  const template = readFileSync(repository('models/ember.template'), 'utf8');
  await client.created({ model, files: { 'ember.gguf': digest }, template, quantize: type });
  expect((await client.show(model)).details.quantization_level).toBe(type.toUpperCase());
  const { response } = await generate(url, { model, prompt: capital, options: { temperature: 0 }, keep_alive: 0 });
  expect(response).toContain('Paris');
  await fetch(`${url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model }) });
});

test('reports progress', async () => {
  const { digest } = await client.upload(f16);
  const { objects } = await client.create({ model: 'progress', files: { 'a.gguf': digest }, quantize: 'Q5_0' });
  const steps = objects.filter(({ total }) => total !== undefined);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.at(-1)?.completed).toBe(steps.at(-1)?.total);
});

test('an unknown type and a quantized source are rejected', async () => {
  const unknown = await client.create({ model: 'x', from: 'ember', quantize: 'q9_z' });
  expect([unknown.status, unknown.objects[0]?.error]).toEqual([400, 'unknown fileType: Q9_Z']);
  const { objects } = await client.create({ model: 'x', from: 'ember', quantize: 'q4_0' });
  expect(objects.at(-1)?.error).toBe('quantization is only supported for F16, BF16 and F32 models');
});
