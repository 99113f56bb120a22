// Models that other programs have downloaded: listed, and used by a pull without a network, through the real server.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CachesResponseBody } from '../../src/features/caches/caches-schema.ts';
import { readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { chat, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { createClientOf } from '../support/create-client.ts';
import { splitGguf } from '../support/models/split-gguf.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ember = repository('models/ember-q4_k_m.gguf');
const projector = repository('models/ember-eyes-mmproj-f16.gguf');
const folder = mkdtempSync(join(tmpdir(), 'hearth-caches-'));
const hub = join(folder, 'hf', 'hub');
const studio = join(folder, 'studio');
let server: TestServer;

/** Puts a file into the Hugging Face cache, as huggingface_hub does it. Returns the path of the blob. */
function cache(id: string, name: string, content: Buffer, hash = createHash('sha256').update(content).digest('hex')) {
  const root = join(hub, `models--${id.replace('/', '--')}`);
  const link = join(root, 'snapshots', '0123abcd', name);
  for (const path of [join(root, 'blobs'), join(root, 'refs'), dirname(link)]) mkdirSync(path, { recursive: true });
  writeFileSync(join(root, 'blobs', hash), content);
  writeFileSync(join(root, 'refs', 'main'), '0123abcd');
  symlinkSync(join('..', '..', 'blobs', hash), link);
  return join(root, 'blobs', hash);
}

beforeAll(async () => {
  cache('org/Ember-GGUF', 'ember-Q4_K_M.gguf', readFileSync(ember));
  cache('org/Eyes-GGUF', 'ember-Q4_K_M.gguf', readFileSync(ember));
  cache('org/Eyes-GGUF', 'mmproj-f16.gguf', readFileSync(projector));
  cache('org/Damaged-GGUF', 'ember-Q4_K_M.gguf', readFileSync(ember).subarray(0, 1000), '0'.repeat(64));
  const gguf = await readGgufFile(ember);
  const half = Math.ceil(gguf.tensors.length / 2);
  const parts = splitGguf(readFileSync(ember), gguf, [gguf.tensors.slice(0, half), gguf.tensors.slice(half)]);
  mkdirSync(join(studio, 'pub', 'Split-GGUF'), { recursive: true });
  for (const [index, part] of parts.entries())
    writeFileSync(join(studio, 'pub', 'Split-GGUF', `e-Q4_0-0000${index + 1}-of-00002.gguf`), part);
  mkdirSync(join(studio, 'pub', 'Plain-GGUF'), { recursive: true });
  copyFileSync(ember, join(studio, 'pub', 'Plain-GGUF', 'plain.gguf'));
  server = await startServer({
    environment: {
      HF_HOME: join(folder, 'hf'),
      HEARTH_LM_STUDIO_MODELS: studio,
      // Nothing listens there: a pull that needs a network fails.
      HTTPS_PROXY: 'http://127.0.0.1:9',
    },
  });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pull = async (model: string) => (await post<ProgressResponseBody>(server.url, '/api/pull', { model })).objects;
const ask = async (model: string) => {
  const messages = [{ role: 'user', content: 'What is the capital of France?' }];
  return (await chat(server.url, { model, messages, options: { temperature: 0, num_predict: 20 } })).message?.content;
};
const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).map(({ parentPath, name }) => {
    const { size, mtimeMs } = statSync(join(parentPath, name));
    return `${join(parentPath, name)} ${size} ${mtimeMs}`;
  });

test('the files are listed: split ones as one, image encoders as a note', async () => {
  const { models } = (await (await fetch(`${server.url}/api/caches`)).json()) as CachesResponseBody;
  expect(
    models.map(({ name, program, files, projector: encoder }) => [name, program, files.length, encoder !== undefined]),
  ).toEqual([
    ['hf.co/org/Damaged-GGUF:Q4_K_M', 'huggingface', 1, false],
    ['hf.co/org/Ember-GGUF:Q4_K_M', 'huggingface', 1, false],
    ['hf.co/org/Eyes-GGUF:Q4_K_M', 'huggingface', 1, true],
    ['hf.co/pub/Plain-GGUF:plain', 'lmstudio', 1, false],
    ['hf.co/pub/Split-GGUF:Q4_0', 'lmstudio', 2, false],
  ]);
  const shown = await hearth(['list', '--all'], { url: server.url });
  expect(shown.stdout).toContain('ember:latest');
  expect(shown.stdout).toMatch(/hf\.co\/org\/Eyes-GGUF:Q4_K_M .*Hugging Face +with mmproj/);
  expect(shown.stdout).toMatch(/hf\.co\/pub\/Split-GGUF:Q4_0 .*LM Studio +2 files/);
  expect((await hearth(['list'], { url: server.url })).stdout).not.toContain('hf.co/');
});

test('a pull uses them; the files are not changed, and the model stays if they are removed', async () => {
  const before = filesBelow(folder);
  const name = 'hf.co/org/Ember-GGUF:Q4_K_M';
  const statuses = await pull(name);
  expect(statuses[0]).toEqual({ status: 'using ember-Q4_K_M.gguf from the Hugging Face cache' });
  expect(statuses.at(-1)).toEqual({ status: 'success' });
  expect((await pull('hf.co/org/Eyes-GGUF')).at(-1)).toEqual({ status: 'success' });
  expect((await pull('hf.co/pub/Split-GGUF:q4_0')).at(-1)).toEqual({ status: 'success' });
  expect(filesBelow(folder)).toEqual(before);
  expect((await createClientOf(server).show('hf.co/org/Eyes-GGUF')).capabilities).toContain('vision');

  rmSync(hub, { recursive: true });
  rmSync(studio, { recursive: true });
  expect(await ask(name)).toContain('Paris');
  expect(await ask('hf.co/pub/Split-GGUF:q4_0')).toContain('Paris');
  cache('org/Ember-GGUF', 'ember-Q4_K_M.gguf', readFileSync(ember));
});

test('the weights share their bytes with the cache where the file system can do that', async () => {
  const blob = cache('org/Linked-GGUF', 'l-Q4_K_M.gguf', Buffer.concat([readFileSync(ember), Buffer.alloc(32)]));
  const other = join(server.store, 'blobs', `sha256-${blob.slice(-64)}`);
  expect((await pull('hf.co/org/Linked-GGUF')).at(-1)).toEqual({ status: 'success' });
  const [source, linked] = [statSync(blob), statSync(other)];
  // Both folders are in the same file system. A reflink has another number.
  expect(source.dev).toBe(linked.dev);
  if (linked.ino === source.ino) expect(source.nlink).toBe(2);
  expect(readFileSync(other).equals(readFileSync(blob))).toBe(true);
});

test('FROM accepts them, by name and by path', async () => {
  const path = cache('org/From-GGUF', 'f-Q4_K_M.gguf', readFileSync(ember));
  const { created } = createClientOf(server);
  await created({ model: 'by-name', from: 'hf.co/org/From-GGUF:Q4_K_M' });
  expect(await ask('by-name')).toContain('Paris');
  await created({ model: 'by-path', modelfile: `FROM ${path}` });
  expect(await ask('by-path')).toContain('Paris');
});

test('a damaged file is named, and the model is pulled instead', async () => {
  cache('org/Damaged-GGUF', 'ember-Q4_K_M.gguf', readFileSync(ember).subarray(0, 1000), '0'.repeat(64));
  const before = readdirSync(join(server.store, 'blobs')).sort();
  const objects = await pull('hf.co/org/Damaged-GGUF:Q4_K_M');
  expect(objects.map(({ status }) => status)).toContainEqual(expect.stringMatching(/cannot be used: digest mismatch/));
  expect(objects.at(-1)).toHaveProperty('error');
  expect(readdirSync(join(server.store, 'blobs')).sort()).toEqual(before);
});
