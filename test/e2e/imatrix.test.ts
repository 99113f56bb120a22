// `hearth imatrix` computes an importance matrix of Ember, and `hearth create` quantizes with it.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readImatrix } from '../../src/formats/gguf/imatrix.ts';
import { readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { comparisonText } from '../../src/server/services/generation/comparison-text.ts';
import { generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { type CreateClient, createClientOf } from '../support/create-client.ts';
import { writeEmberF16 } from '../support/models/ember-f16.ts';
import { randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-imatrix-e2e-'));
const pathOf = (name: string): string => join(folder, name);
const [text, matrix] = [pathOf('text.txt'), pathOf('ember.imatrix.gguf')];
const model = 'ember-f16';
let server: TestServer;
let client: CreateClient;

const run = (...words: readonly string[]) => hearth(words, { url: server.url, cwd: folder });
const compute = (body: object) => post<Record<string, unknown>>(server.url, '/api/imatrix', { model, ...body });

beforeAll(async () => {
  server = await startServer();
  client = createClientOf(server);
  writeEmberF16(pathOf('f16.gguf'));
  const { digest } = await client.upload(pathOf('f16.gguf'));
  await client.created({ model, files: { 'ember.gguf': digest } });
  writeFileSync(text, comparisonText);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('the command writes a file, with which `create` quantizes to other weights', async () => {
  const words = ['imatrix', model, '--text', text, '--output', matrix, '--chunks', '2'];
  const { code, stdout, stderr } = await run(...words, '--json');
  expect([code, stderr]).toEqual([0, expect.stringContaining(`computing the importance matrix of ${model}`)]);
  const { metadata, tensors } = await readGgufFile(matrix, { maxArray: 10 });
  expect(JSON.parse(stdout)).toMatchObject({
    model,
    chunks: 2,
    tokens: 1024,
    matrices: tensors.length / 2,
    output: matrix,
  });
  expect(Object.fromEntries(metadata)).toEqual({
    'general.type': 'imatrix',
    'imatrix.datasets': ['text.txt'],
    'imatrix.chunk_count': 2,
    'imatrix.chunk_size': 512,
  });
  const { tensors: weights } = await readGgufFile(pathOf('f16.gguf'), { maxArray: 0 });
  const matrices = weights.filter(({ name, shape }) => name.startsWith('blk.') && shape.length === 2);
  const entries = await readImatrix(matrix);
  expect(entries.map(({ name, values }) => [name, values.length])).toEqual(
    matrices.map(({ name, shape: [columns] }) => [name, columns]).sort(),
  );

  writeFileSync(pathOf('Modelfile'), `FROM ${model}\n`);
  const create = (name: string, ...more: readonly string[]) =>
    run('create', name, '-f', pathOf('Modelfile'), '--quantize', 'q2_k', ...more);
  const before = new Set(client.blobs());
  expect(await create('plain')).toMatchObject({ code: 0 });
  const plain = client.blobs().filter((name) => !before.has(name));
  expect(await create('important', '--imatrix', matrix)).toMatchObject({ code: 0 });
  const ofWeights = (names: readonly string[]): Buffer[] =>
    names.map((name) => readFileSync(join(server.store, 'blobs', name))).filter((bytes) => bytes.length > 2 ** 20);
  const [[own], [other]] = [
    ofWeights(plain),
    ofWeights(client.blobs().filter((name) => ![...before, ...plain].includes(name))),
  ];
  expect(other?.length).toBe(own?.length);
  expect(other?.equals(own as Buffer)).toBe(false);
  const { response } = await generate(server.url, { model: 'important', prompt: 'Hi', options: { num_predict: 4 } });
  expect(response).not.toBe('');
});

test('a stream ends with the digest, which `create` and a download take', async () => {
  const { objects } = await compute({ text: comparisonText, name: 'a text', max_chunks: 1 });
  const [first, last] = [objects[0], objects.at(-1)];
  expect(first).toEqual({ status: 'computing', completed: 0, total: 1 });
  expect(last).toMatchObject({ status: 'success', model, chunks: 1, tokens: 512 });
  const digest = String(last?.['digest']);
  const file = await fetch(`${server.url}/api/imatrix/${digest}`);
  const bytes = Buffer.from(await file.arrayBuffer());
  expect([file.status, bytes.length]).toEqual([200, last?.['size']]);
  writeFileSync(pathOf('downloaded.gguf'), bytes);
  expect((await readImatrix(pathOf('downloaded.gguf'))).length).toBe(last?.['matrices']);
  await client.created({ model: 'by-digest', from: model, quantize: 'q3_k_s', imatrix: digest });
});

test('the file of a model, and what does not exist, is not sent', async () => {
  const { layers } = JSON.parse(
    readFileSync(join(server.store, 'manifests/registry.ollama.ai/library', model, 'latest'), 'utf8'),
  ) as { layers: { digest: string }[] };
  for (const digest of [layers[0]?.digest, `sha256:${'0'.repeat(64)}`]) {
    const response = await fetch(`${server.url}/api/imatrix/${digest}`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'blob_not_found' }),
    ]);
  }
});

test('what cannot be computed is refused with a reason', async () => {
  const errorOf = async (body: object) => (await compute(body)).objects.at(-1)?.['error'];
  expect(await errorOf({ text: 'too short' })).toMatch(/the text has \d tokens; at least 512 are needed/);
  expect(await errorOf({})).toBe('text is required');
  expect(await errorOf({ text: comparisonText, model: 'nothing' })).toContain("model 'nothing' not found");
  expect(await errorOf({ text: comparisonText, max_chunks: 0 })).toContain('max_chunks');
  writeBert(pathOf('bert.gguf'), randomBertWeights(1), 'mean');
  const { digest } = await client.upload(pathOf('bert.gguf'));
  await client.created({ model: 'bert', files: { 'bert.gguf': digest } });
  expect(await errorOf({ text: comparisonText, model: 'bert' })).toContain('not for embedding models');
});

test('a mistake on the command line leaves no file', async () => {
  const output = pathOf('none.gguf');
  const failing = async (...words: readonly string[]) => {
    const { code, stderr } = await run('imatrix', ...words, '--output', output);
    expect([code, existsSync(output)]).toEqual([1, false]);
    return stderr;
  };
  expect(await failing(model)).toContain('--text FILE is required');
  expect(await failing(model, '--text', pathOf('nothing.txt'))).toContain('cannot read the text');
  expect(await failing(model, '--text', text, '--chunks', '0')).toContain('--chunks must be an integer from 1');
  const nowhere = ['--text', text, '--output', pathOf('nowhere/none.gguf')];
  expect((await run('imatrix', model, ...nowhere)).stderr).toContain('cannot write');
  writeFileSync(pathOf('short.txt'), 'too short');
  expect(await failing(model, '--text', pathOf('short.txt'))).toContain('at least 512 are needed');
});

test('a canceled computation ends its process, and another one can run', async () => {
  const controller = new AbortController();
  const response = await fetch(`${server.url}/api/imatrix`, {
    method: 'POST',
    body: JSON.stringify({ model, text: comparisonText.repeat(40) }),
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();
  const { objects } = await compute({ text: comparisonText, max_chunks: 1 });
  expect(objects.at(-1)?.['status']).toBe('success');
});
