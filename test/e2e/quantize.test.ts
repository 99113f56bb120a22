// Creates quantized models through the real server.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gguf, readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { fileTypeOf, isUnquantized, type Quantization, quantizations } from '../../src/models/quantization.ts';
import { generate } from '../support/client.ts';
import { type CreateClient, createClientOf, digestOf } from '../support/create-client.ts';
import { quantizeDirectly, writeEmberF16 } from '../support/models/ember-f16.ts';
import { writeTinyLlama } from '../support/models/tiny-llama.ts';
import { type TensorSource, writeGguf } from '../support/models/write-gguf.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-quantize-'));
const f16 = join(folder, 'ember-f16.gguf');
const tiny = join(folder, 'tiny-f16.gguf');
const capital = 'What is the capital of France?';
let server: TestServer;
let tinyHeader: Gguf;
let url: string;
let client: CreateClient;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  client = createClientOf(server);
  writeEmberF16(f16);
  writeTinyLlama(join(folder, 'tiny.gguf'), 7);
  quantizeDirectly(join(folder, 'tiny.gguf'), tiny, fileTypeOf('F16'));
  tinyHeader = await readGgufFile(tiny);
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

/** The first columns of each matrix are more important than the others. */
function writeMatrix(path: string, columns: (size: number) => number): void {
  const { tensors } = tinyHeader;
  const matrices = tensors.filter(({ name, shape }) => name.startsWith('blk.') && shape.length === 2);
  const pairs = matrices.flatMap(({ name, shape: [size = 0] }): TensorSource[] => [
    {
      name: `${name}.in_sum2`,
      shape: [columns(size)],
      type: 'F32',
      fill: (buffer) => {
        for (let index = 0; index < columns(size); index++)
          buffer.writeFloatLE(index < size / 4 ? 100 : 0.01, 4 * index);
      },
    },
    { name: `${name}.counts`, shape: [1], type: 'F32', fill: (buffer) => void buffer.writeFloatLE(1) },
  ]);
  writeGguf(path, { 'general.type': { type: 'string', value: 'imatrix' } }, pairs);
}

test('an importance matrix changes the result, and must be for the model', async () => {
  const [usual, other] = [join(folder, 'imatrix.gguf'), join(folder, 'other.gguf')];
  writeMatrix(usual, (size) => size);
  writeMatrix(other, (size) => size + 1);
  const { digest } = await client.upload(tiny);
  const body = { model: 'important', files: { 'tiny.gguf': digest }, quantize: 'q4_0' };
  await client.created({ ...body, imatrix: (await client.upload(usual)).digest });
  const plain = join(folder, 'plain.gguf');
  quantizeDirectly(tiny, plain, fileTypeOf('Q4_0'));
  const direct = join(folder, 'important.gguf');
  quantizeDirectly(tiny, direct, fileTypeOf('Q4_0'), usual);
  expect(readFileSync(direct).equals(readFileSync(plain))).toBe(false);
  expect(client.blobs()).toContain(digestOf(readFileSync(direct)).replace(':', '-'));

  const errorOf = async (fields: object) => (await client.create({ ...body, ...fields })).objects.at(-1)?.error;
  expect(await errorOf({ imatrix: (await client.upload(other)).digest })).toContain('it is for another model');
  expect(await errorOf({ imatrix: digest })).toContain('a GGUF file of another kind');
  expect(await errorOf({ imatrix: `sha256:${'0'.repeat(64)}` })).toContain('not found; create it with POST /api/blobs');
  expect(await errorOf({ imatrix: digest, quantize: '' })).toContain('only used to quantize');
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
