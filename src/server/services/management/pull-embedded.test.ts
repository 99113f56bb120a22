import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { createStore, type Store } from '../../../models/store/store.ts';
import { installEmbedded } from './install-embedded.ts';
import { withEmbeddedModels } from './pull-embedded.ts';
import type { PullModel } from './pull-model.ts';

const folder = fileURLToPath(new URL('../../../../models', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'hearth-pull-embedded-'));
afterAll(() => rmSync(base, { recursive: true }));

let store: Store;
let pull: PullModel;
beforeEach(async () => {
  store = createStore(join(base, String(Math.random())));
  await installEmbedded(store, folder);
  pull = withEmbeddedModels(
    async function* pullModel() {
      yield { status: 'from a registry' };
    },
    { store, folder },
  );
});

async function pullAll(text: string): Promise<string[]> {
  const statuses: string[] = [];
  const input = { model: parseRequestedModel(text), insecure: false };
  for await (const { status } of pull(input, new AbortController().signal)) statuses.push(status);
  return statuses;
}

test.each(['ember', 'ember-eyes', 'ember-thinks', 'registry.ollama.ai/library/ember:latest'])(
  '%s comes back after it was deleted',
  async (text) => {
    const name = parseModelName(text);
    const digest = (await store.find(name))?.digest;
    await store.removeModel(name);
    expect(await store.find(name)).toBeUndefined();
    expect((await pullAll(text)).at(-1)).toBe('success');
    expect((await store.find(name))?.digest).toBe(digest);
  },
);

test('a changed model becomes the embedded one, and is updated by later versions again', async () => {
  const [ember, eyes] = [parseModelName('ember'), parseModelName('ember-eyes')];
  const digest = (await store.find(ember))?.digest;
  await store.copyModel(eyes, ember);
  expect((await store.find(ember))?.digest).not.toBe(digest);
  await pullAll('ember');
  expect((await store.find(ember))?.digest).toBe(digest);
  expect(JSON.parse((await store.readNote('hearth.json')) ?? '').embedded.ember.manifest).toBe(digest);
});

test('concurrent pulls of several models are all noted', async () => {
  await store.writeNote('hearth.json', '{}');
  await Promise.all(['ember', 'ember-eyes', 'ember-thinks'].map(pullAll));
  const { embedded } = JSON.parse((await store.readNote('hearth.json')) ?? '');
  expect(Object.keys(embedded).sort()).toEqual(['ember', 'ember-eyes', 'ember-thinks']);
});

test.each(['other', 'ember:other', 'team/ember', 'host.example/library/ember'])(
  '%s is pulled from a registry',
  async (name) => {
    expect(await pullAll(name)).toEqual(['from a registry']);
  },
);
