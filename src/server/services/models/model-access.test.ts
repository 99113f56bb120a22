import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInRequest } from '../../../base/request/request-scope.ts';
import { formatModelName, parseModelName } from '../../../models/name.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { createStore } from '../../../models/store/store.ts';
import { hideModels, matchesModel } from './model-access.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-access-'));
const whole = createStore(folder);
const store = hideModels(whole);
const [mine, hidden] = ['llama3:8b', 'secret:latest'].map(parseModelName) as [
  ReturnType<typeof parseModelName>,
  ReturnType<typeof parseModelName>,
];
beforeAll(async () => {
  const config = await whole.putBlob(Buffer.from('{}'), mediaTypes.config);
  for (const name of [mine, hidden])
    await whole.putManifest(name, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withKey = <Result>(models: string[], work: () => Promise<Result>): Promise<Result> => {
  const key = { id: '1', name: 'anna', scope: 'manage', group: '1', models, weight: 1 } as const;
  return runInRequest({ id: '1', client: 'c', signal: new AbortController().signal, key }, work);
};

test.each([
  ['llama*', 'llama3:8b', true],
  ['llama*', 'LLAMA3', true],
  ['LLama3:8B', 'llama3:8b', true],
  ['llama3', 'llama3', true],
  ['llama3', 'llama3:latest', true],
  ['llama3', 'llama3:8b', false],
  ['llama*', 'me/llama3', false],
  ['me/*', 'me/llama3', true],
  ['*', 'other.example/a/b:c', true],
  ['ember', 'ember2', false],
])('the pattern %s and the model %s: %s', (pattern, name, expected) => {
  expect(matchesModel(pattern, parseModelName(name))).toBe(expected);
});

test('a key with patterns sees, uses and changes only the models that match', async () => {
  await withKey(['llama*'], async () => {
    expect((await store.list()).map(({ name }) => formatModelName(name))).toEqual(['llama3:8b']);
    expect(await store.find(mine)).toBeDefined();
    expect(await store.find(hidden)).toBeUndefined();
    expect(await store.readManifest(hidden)).toBeUndefined();
    expect(await store.removeModel(hidden)).toBe(false);
    expect(await store.copyModel(hidden, parseModelName('llama-copy'))).toBe(false);
    await expect(store.copyModel(mine, parseModelName('other'))).rejects.toMatchObject({
      code: 'missing_scope',
      message: 'the key "anna" does not allow the model "other:latest"',
    });
    const bytes = (await store.readManifest(mine)) as Buffer;
    await expect(store.putManifest(hidden, bytes)).rejects.toMatchObject({ code: 'missing_scope' });
    await store.putManifest(parseModelName('llama4'), bytes);
  });
  expect(await store.find(hidden)).toBeDefined();
});

test('a key without patterns, and a request without a key, have all models', async () => {
  const names = (await store.list()).length;
  expect(names).toBeGreaterThan(1);
  expect(await withKey([], async () => (await store.list()).length)).toBe(names);
});
