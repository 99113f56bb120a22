import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { requireLocal } from '../../../inference/engine/local-request.ts';
import type { LocalModelSource } from '../../../inference/model/model-source.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import type { LoadOptions } from '../../../models/options.ts';
import { createStore, type Store } from '../../../models/store/store.ts';
import { openModel } from '../models/open-model.ts';
import { installEmbedded } from './install-embedded.ts';
import { listModels } from './list-models.ts';

const shipped = fileURLToPath(new URL('../../../../models', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'hearth-embedded-'));
afterAll(() => rmSync(base, { recursive: true }));

const ember = parseModelName('ember');
let root: string;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  store = createStore(root);
});

/** A copy of what ships, with these models only. */
function withModels(names: readonly string[]): string {
  const folder = join(base, 'some');
  cpSync(shipped, folder, { recursive: true });
  const models = JSON.parse(readFileSync(join(shipped, 'embedded.json'), 'utf8')) as { readonly name: string }[];
  writeFileSync(join(folder, 'embedded.json'), JSON.stringify(models.filter(({ name }) => names.includes(name))));
  return folder;
}

async function openFiles(name: string): Promise<LocalModelSource> {
  return requireLocal({
    name,
    source: (await openModel(store, parseRequestedModel(name))).files,
    options: {} as LoadOptions,
  }).source;
}

const manifestPath = () => join(root, 'manifests/registry.ollama.ai/library/ember/latest');

describe('on the first start', () => {
  test('Ember is installed with details, license and notice', async () => {
    expect(await installEmbedded(store, shipped)).toEqual(['ember', 'ember-eyes', 'ember-thinks']);
    const listed = await listModels(store);
    expect(listed.find(({ name }) => name === 'ember:latest')).toMatchObject({
      name: 'ember:latest',
      details: {
        format: 'gguf',
        family: 'llama',
        families: ['llama'],
        parameterSize: '41.96M',
        quantizationLevel: 'Q4_K_M',
      },
    });
    const found = await store.find(ember);
    const licenses = found?.manifest.layers.filter(({ mediaType }) => mediaType.endsWith('.license')) ?? [];
    const texts = await Promise.all(licenses.map(async (layer) => (await store.readBlob(layer)).toString('utf8')));
    expect(texts).toEqual(['LICENSE', 'DATA.md'].map((name) => readFileSync(join(shipped, name), 'utf8')));
  });

  test('ember-eyes is installed with the same blobs and a projector', async () => {
    await installEmbedded(store, shipped);
    const [plain, vision] = await Promise.all([store.find(ember), store.find(parseModelName('ember-eyes'))]);
    const layersOf = (model: typeof plain) => model?.manifest.layers ?? [];
    const own = layersOf(vision).filter(({ digest }) => !layersOf(plain).some((layer) => layer.digest === digest));
    expect(own.map(({ mediaType, size }) => ({ mediaType, size }))).toEqual([
      {
        mediaType: 'application/vnd.ollama.image.projector',
        size: statSync(join(shipped, 'ember-eyes-mmproj-f16.gguf')).size,
      },
    ]);
    expect(layersOf(vision)).toHaveLength(layersOf(plain).length + 1);
    const listed = (await listModels(store)).find(({ name }) => name === 'ember-eyes:latest');
    expect(listed?.details).toMatchObject({ family: 'llama', families: ['llama', 'clip'], parameterSize: '41.96M' });
    const files = await openFiles('ember-eyes');
    expect(statSync(files.projectorPath ?? '').size).toBe(own[0]?.size);
    expect(files.key).not.toBe((await openModel(store, parseRequestedModel('ember'))).files.key);
  });

  test('weights are copied: damage to the package does not reach the store', async () => {
    const folder = withModels(['ember']);
    await installEmbedded(store, folder);
    const files = await openFiles('ember');
    const source = join(folder, 'ember-q4_k_m.gguf');
    expect(statSync(files.weightsPath).ino).not.toBe(statSync(source).ino);
    writeFileSync(source, 'damage');
    expect(statSync(files.weightsPath).size).toBe(statSync(join(shipped, 'ember-q4_k_m.gguf')).size);
  });
});

describe('afterwards', () => {
  test('the next start changes nothing', async () => {
    await installEmbedded(store, shipped);
    const before = statSync(manifestPath()).mtimeMs;
    expect(await installEmbedded(store, shipped)).toEqual([]);
    expect(statSync(manifestPath()).mtimeMs).toBe(before);
  });

  test('a deleted model is not installed again', async () => {
    await installEmbedded(store, shipped);
    rmSync(manifestPath());
    expect(await installEmbedded(store, shipped)).toEqual([]);
    expect(await store.find(ember)).toBeUndefined();
  });

  test('a store of an older version gets a new embedded model, once', async () => {
    await installEmbedded(store, withModels(['ember', 'ember-thinks']));
    expect(await store.find(parseModelName('ember-eyes'))).toBeUndefined();
    expect(await installEmbedded(store, shipped)).toEqual(['ember-eyes']);
    rmSync(join(root, 'manifests/registry.ollama.ai/library/ember-eyes/latest'));
    expect(await installEmbedded(store, shipped)).toEqual([]);
  });

  test('an existing model of that name is not replaced', async () => {
    await installEmbedded(store, shipped);
    const other = readFileSync(manifestPath(), 'utf8').replace('"schemaVersion":2', '"schemaVersion":2,"mine":true');
    rmSync(join(root, 'hearth.json'));
    writeFileSync(manifestPath(), other);
    expect(await installEmbedded(store, shipped)).toEqual([]);
    expect(readFileSync(manifestPath(), 'utf8')).toBe(other);
  });

  describe('when a new version ships', () => {
    const newer = join(base, 'newer');
    beforeEach(() => {
      cpSync(shipped, newer, { recursive: true });
      writeFileSync(join(newer, 'ember.template'), 'new {{ .Prompt }}');
    });

    test('replaces an unchanged model', async () => {
      await installEmbedded(store, shipped);
      expect(await installEmbedded(store, newer)).toEqual(['ember', 'ember-eyes']);
      expect((await openModel(store, parseRequestedModel('ember'))).template).toBe('new {{ .Prompt }}');
    });

    test('does not replace a changed model or reinstall a deleted one', async () => {
      await installEmbedded(store, shipped);
      const changed = readFileSync(manifestPath(), 'utf8').replace(
        '"schemaVersion":2',
        '"schemaVersion":2,"mine":true',
      );
      writeFileSync(manifestPath(), changed);
      expect(await installEmbedded(store, newer)).toEqual(['ember-eyes']);
      expect(readFileSync(manifestPath(), 'utf8')).toBe(changed);
      rmSync(manifestPath());
      expect(await installEmbedded(store, newer)).toEqual([]);
      expect(await store.find(ember)).toBeUndefined();
    });
  });
});
