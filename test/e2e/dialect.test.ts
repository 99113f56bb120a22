// A model of Ollama's library whose file has another dialect, with its image encoder inside, through the real endpoints.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedRows } from '../support/architectures/published-rows.ts';
import { text, writeTinyModel } from '../support/architectures/tiny-model.ts';
import { generate, post } from '../support/client.ts';
import { type CreateClient, createClientOf } from '../support/create-client.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-dialect-files-'));
let server: TestServer;
let client: CreateClient;
let blobs: string;
beforeAll(async () => {
  server = await startServer();
  blobs = join(server.store, 'blobs');
  client = createClientOf(server);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const rows = publishedRows();
const rowOf = (name: string) => rows.find(({ row }) => row === name) as (typeof rows)[number];
const image = drawPng({ shape: 'square', color: colors.blue, width: 112, height: 112 }).toString('base64');

async function upload(name: string, model: Parameters<typeof writeTinyModel>[1]): Promise<Record<string, string>> {
  const path = join(folder, `${name}.gguf`);
  writeTinyModel(path, model);
  return { [`${name}.gguf`]: (await client.upload(path)).digest };
}

const ask = async (model: string, images: readonly string[] = []): Promise<string | undefined> => {
  const options = { temperature: 0, num_predict: 6, num_ctx: 256, seed: 1 };
  const body = { model, prompt: 'See[img-0]this:', raw: true, images, options };
  return (await generate(server.url, body)).response;
};
const translated = (): string[] => readdirSync(blobs).filter((name) => name.includes('-translated-'));

test('a vision model answers like the one with a file for each part', async () => {
  const { published, plain, projector } = rowOf('qwen25vl');
  if (projector === undefined) throw new Error('no projector');
  await client.created({ model: 'published', files: await upload('published', published) });
  const files = { ...(await upload('plain', plain)), ...(await upload('mmproj', projector)) };
  await client.created({ model: 'plain', files });
  const { details, capabilities } = await client.show('published');
  expect(capabilities).toContain('vision');
  expect([details.family, details.dialect]).toEqual(['qwen25vl', 'ollama']);
  expect((await client.show('plain')).details.dialect).toBeUndefined();

  expect(translated()).toEqual([]);
  const [first, second] = await Promise.all([ask('published', [image]), ask('published', [image])]);
  expect(first).not.toBe('');
  expect(second).toBe(first);
  expect(await ask('plain', [image])).toBe(first);
  const [made, ...others] = translated();
  expect([made?.endsWith('-translated-projector-1'), others]).toEqual([true, []]);
  expect(server.log()).toContain('translating a file');

  const before = statSync(join(blobs, made ?? '')).mtimeMs;
  await post(server.url, '/api/generate', { model: 'published', keep_alive: 0 });
  expect(await ask('published', [image])).toBe(first);
  expect(statSync(join(blobs, made ?? '')).mtimeMs).toBe(before);

  await post(server.url, '/api/generate', { model: 'published', keep_alive: 0 });
  const response = await fetch(`${server.url}/api/delete`, {
    method: 'DELETE',
    body: JSON.stringify({ model: 'published' }),
  });
  expect(response.status).toBe(200);
  await expect.poll(translated).toEqual([]);
});

test('quantized, it has the parts that llama.cpp expects', async () => {
  const { published } = rowOf('gemma3');
  const unquantized = {
    ...published,
    keys: { ...published.keys, 'general.file_type': { type: 'u32', value: 1 } as const },
  };
  await client.created({ model: 'small', files: await upload('gemma3', unquantized), quantize: 'q8_0' });
  const { details, capabilities } = await client.show('small');
  expect([details.dialect, details.quantization_level]).toEqual([undefined, 'Q8_0']);
  expect(capabilities).toContain('vision');
  expect(await ask('small', [image])).not.toBe('');
  expect(translated()).toEqual([]);
});

test('an architecture that the engine does not know is refused', async () => {
  const { plain } = rowOf('olmo3');
  const keys = { ...plain.keys, 'general.architecture': text('qwen99') };
  const { text: body } = await client.create({ model: 'new', files: await upload('new', { ...plain, keys }) });
  expect(body).toContain('llama.cpp 0.4.0');
});
