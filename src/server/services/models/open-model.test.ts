import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseModelName } from '../../../models/name.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { createStore } from '../../../models/store/store.ts';
import { openModel } from './open-model.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-open-'));
afterAll(() => rmSync(root, { recursive: true }));
const store = createStore(root);

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

test('everything that the layers say', async () => {
  await put('full', {
    [mediaTypes.model]: 'weights',
    [mediaTypes.adapter]: 'adapter',
    [mediaTypes.template]: '{{ .Prompt }}!',
    [mediaTypes.system]: 'Be brief.',
    [mediaTypes.params]: '{"temperature": 0.5, "stop": ["a"], "from_the_future": 1}',
    [mediaTypes.messages]: '[{"role": "user", "content": "hi"}]',
  });
  const model = await openModel(store, 'full');
  expect(model).toMatchObject({
    displayName: 'full:latest',
    template: '{{ .Prompt }}!',
    system: 'Be brief.',
    options: { temperature: 0.5, stop: ['a'] },
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(model.files.adapterPaths).toHaveLength(1);
});

test('weights alone have nothing but defaults; other adapters make another key', async () => {
  await put('bare', { [mediaTypes.model]: 'weights' });
  const bare = await openModel(store, 'bare');
  expect(bare).toMatchObject({
    template: undefined,
    system: '',
    options: {},
    parameters: {},
    messages: [],
  });
  expect((await openModel(store, 'full')).files.key).not.toBe(bare.files.key);
});

test.each([
  ['', 'model is required'],
  ['nosuch', 'model "nosuch" not found, try pulling it first'],
  ['../evil', 'invalid model name'],
])('%j: %s', async (name, message) => {
  await expect(openModel(store, name)).rejects.toThrow(message);
});

test('damage is named', async () => {
  await put('hollow', { [mediaTypes.system]: 'x' });
  await expect(openModel(store, 'hollow')).rejects.toThrow('has no weights');
  await put('broken', { [mediaTypes.model]: 'weights', [mediaTypes.params]: 'no json' });
  await expect(openModel(store, 'broken')).rejects.toThrow('is not JSON');
});
