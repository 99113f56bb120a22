import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { createStore } from '../../../models/store/store.ts';
import { listModels } from '../management/list-models.ts';
import { openModel } from './open-model.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-open-'));
afterAll(() => rmSync(root, { recursive: true }));
const store = createStore(root);
const open = (name: string) => openModel(store, parseRequestedModel(name));

async function put(name: string, layers: Readonly<Record<string, string>>): Promise<void> {
  const stored = [];
  for (const [type, content] of Object.entries(layers)) stored.push(await store.putBlob(Buffer.from(content), type));
  await store.putManifest(parseModelName(name), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers: stored,
  });
}

test('all layers are read', async () => {
  await put('full', {
    [mediaTypes.model]: 'weights',
    [mediaTypes.adapter]: 'adapter',
    [mediaTypes.template]: '{{ .Prompt }}!',
    [mediaTypes.system]: 'Be brief.',
    [mediaTypes.params]: '{"temperature": 0.5, "stop": ["a"], "unknown_option": 1}',
    [mediaTypes.messages]: '[{"role": "user", "content": "hi"}]',
  });
  const model = await open('full');
  expect(model).toMatchObject({
    displayName: 'full:latest',
    template: '{{ .Prompt }}!',
    system: 'Be brief.',
    options: { temperature: 0.5, stop: ['a'] },
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(model.files).toHaveProperty('adapterPaths.length', 1);
});

test('a model with only weights has defaults, and other adapters change the key', async () => {
  await put('bare', { [mediaTypes.model]: 'weights' });
  const bare = await open('bare');
  expect(bare).toMatchObject({
    template: undefined,
    system: '',
    options: {},
    parameters: {},
    messages: [],
  });
  expect((await open('full')).files.key).not.toBe(bare.files.key);
});

test('an unknown model is named as the caller wrote it', async () => {
  const message = "model 'http://NoSuch' not found";
  await expect(open('http://NoSuch')).rejects.toMatchObject({ code: 'model_not_found', message });
});

test('errors name the damage', async () => {
  await put('empty', { [mediaTypes.system]: 'x' });
  await expect(open('empty')).rejects.toThrow('has no weights');
  await put('broken', { [mediaTypes.model]: 'weights', [mediaTypes.params]: 'no json' });
  await expect(open('broken')).rejects.toThrow('is not JSON');
});

test("Ollama's stub of a remote model is listed with its host, and requests get a sentence", async () => {
  const config = await store.putBlob(
    Buffer.from('{"remote_host":"https://ollama.com:443","remote_model":"gpt-oss:120b"}'),
    mediaTypes.config,
  );
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: null };
  await store.putManifest(parseModelName('gpt-oss:120b-cloud'), Buffer.from(JSON.stringify(manifest)));
  const listed = (await listModels(store)).find(({ name }) => name === 'gpt-oss:120b-cloud');
  expect(listed?.remote).toEqual({ model: 'gpt-oss:120b', host: 'https://ollama.com:443', capabilities: [] });
  await expect(open('gpt-oss:120b-cloud')).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('runs on https://ollama.com:443'),
  });
  expect(await store.removeModel(parseModelName('gpt-oss:120b-cloud'))).toBe(true);
});
