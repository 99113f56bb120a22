import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapterFiles, checkpoints } from '../../../../test/support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../../../../test/support/checkpoints/memory-files.ts';
import type { Files } from '../../../../test/support/checkpoints/tokenizers.ts';
import { visionCheckpoints } from '../../../../test/support/checkpoints/vision-checkpoints.ts';
import { collect, createComputeHere, createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { silentLogger } from '../../../base/logger.ts';
import { convertAdapter } from '../../../formats/checkpoint/convert-adapter.ts';
import { convertCheckpoint } from '../../../formats/checkpoint/convert-checkpoint.ts';
import { convertProjector } from '../../../formats/checkpoint/vision/convert-projector.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { openModel } from '../models/open-model.ts';
import { createCreateModel } from './create-model.ts';
import type { ConvertFiles, ConvertRequest } from './model-sources.ts';
import type { RecipeFields } from './recipe.ts';

const fixture = createServiceFixture();
const { store } = fixture;
const never = new AbortController().signal;
const unexpected = () => {
  throw new Error('not expected');
};

/** The conversion itself, in this process. */
const convertFiles: ConvertFiles = async ({ files, target, name, base, part, onProgress }) => {
  const contents = await Promise.all(files.map(async (file) => [file.name, await readFile(file.path)] as const));
  const opened = toCheckpointFiles(Object.fromEntries(contents));
  onProgress(0, 100);
  if (base !== undefined) {
    await writeFile(target, await collectStream(await convertAdapter(opened, { name, base })));
    return {};
  }
  if (part === 'projector') {
    await writeFile(target, await collectStream(await convertProjector(opened, { name })));
    return {};
  }
  const converted = await convertCheckpoint(opened, { name });
  await writeFile(target, await collectStream(converted));
  const { maxTokens, hasVision } = converted;
  return { hasVision, ...(maxTokens === undefined ? {} : { maxTokens }) };
};

async function upload(files: Files): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [name, content] of Object.entries(files))
    digests[name] = (await store.putBlob(content, mediaTypes.model)).digest;
  return digests;
}

function create(name: string, fields: Partial<RecipeFields>, convert = convertFiles, signal = never) {
  const services = {
    store,
    quantizeFile: unexpected,
    convertFiles: convert,
    pullModel: unexpected,
    pullPackage: unexpected,
    describeRemote: unexpected,
    compute: createComputeHere(),
    logger: silentLogger,
  };
  const input = {
    name: parseModelName(name),
    quantization: undefined,
    modelfile: '',
    path: '',
    localFiles: false,
    fields: { from: '', files: {}, adapters: {}, parameters: {}, licenses: [], ...fields },
  };
  return collect(createCreateModel(services)(input, signal));
}

const filesOf = (name: string): Files => checkpoints[name]?.() as Files;
const open = (name: string) => openModel(store, parseRequestedModel(name));

let llama: Record<string, string>;
beforeAll(async () => {
  llama = await upload(filesOf('llama-3'));
});
afterAll(() => fixture.remove());

test('files in safetensors format become one layer of weights', async () => {
  const progress = await create('llama', { files: llama });
  expect(progress.map(({ status }) => status)).toContain('converting model');
  expect(progress.find(({ total }) => total === 100)).toEqual({
    status: 'converting model',
    digest: '0000000000000000000',
    total: 100,
    completed: 0,
  });
  const layers = (await store.find(parseModelName('llama')))?.manifest.layers ?? [];
  expect(layers.map(({ mediaType }) => mediaType)).toEqual([mediaTypes.model]);
});

test('an embedding model gets the context length that it states, unless the author decides otherwise', async () => {
  const files = await upload(filesOf('bert'));
  await create('bert', { files });
  expect((await open('bert')).parameters).toEqual({ num_ctx: 24 });
  await create('short', { files, parameters: { num_ctx: 8 } });
  expect((await open('short')).parameters).toEqual({ num_ctx: 8 });
});

describe('an adapter in safetensors format', () => {
  test('is converted for the model that it is used with', async () => {
    const seen: ConvertRequest[] = [];
    const convert: ConvertFiles = (request) => {
      seen.push(request);
      return convertFiles(request);
    };
    await create('plain', { files: llama });
    const progress = await create('adapted', { from: 'plain', adapters: await upload(adapterFiles()) }, convert);
    expect(progress.map(({ status }) => status)).toContain('converting adapter');
    expect(seen[0]?.base).toEqual({ architecture: 'llama', heads: 4, keyHeads: 2 });
    const layers = (await store.find(parseModelName('adapted')))?.manifest.layers ?? [];
    expect(layers.map(({ mediaType }) => mediaType)).toEqual([mediaTypes.model, mediaTypes.adapter]);
  });

  test('can be created together with its model', async () => {
    await create('both', { files: llama, adapters: await upload(adapterFiles()) });
    expect((await store.find(parseModelName('both')))?.manifest.layers).toHaveLength(2);
  });
});

describe('an image encoder', () => {
  const smolvlm = visionCheckpoints['smolvlm']?.() as Files;
  const kindsOf = async (name: string): Promise<string[]> =>
    ((await store.find(parseModelName(name)))?.manifest.layers ?? []).map(({ mediaType }) => mediaType);

  test('becomes a projector of the model', async () => {
    const files = await upload(smolvlm);
    const progress = await create('seeing', { files });
    expect(progress.map(({ status }) => status)).toContain('converting image encoder');
    expect((await kindsOf('seeing')).slice(0, 2)).toEqual([mediaTypes.model, mediaTypes.projector]);
  });

  test('is left out if it is not known how images are prepared', async () => {
    const { 'preprocessor_config.json': _, ...files } = smolvlm;
    await create('blind', { files: await upload(files) });
    expect(await kindsOf('blind')).not.toContain(mediaTypes.projector);
  });
});

test('an error of the conversion is the error of the request, and nothing is created', async () => {
  const { 'config.json': _, ...incomplete } = llama;
  await expect(create('incomplete', { files: incomplete })).rejects.toMatchObject({
    code: 'bad_request',
    message: 'the model cannot be converted: config.json is missing',
  });
  expect(await store.find(parseModelName('incomplete'))).toBeUndefined();
});

test('the result of a conversion is removed if the request fails afterwards', async () => {
  const blobs = (): string[] => readdirSync(join(fixture.root, 'models/blobs')).sort();
  const files = await upload(filesOf('qwen-3'));
  const before = blobs();
  await expect(create('failed', { files, adapters: await upload({ 'a.gguf': fixture.gguf({}) }) })).rejects.toThrow(
    'the file of ADAPTER is not an adapter',
  );
  const added = () => blobs().filter((blob) => !before.includes(blob));
  await expect.poll(added).toHaveLength(1);
});

test('a file that was not uploaded is named by its digest', async () => {
  const digest = `sha256:${'1'.repeat(64)}`;
  const files = { ...llama, 'tokenizer.model': digest };
  await expect(create('missing', { files })).rejects.toThrow(`blob "${digest}" not found`);
});

test('an abort stops the conversion', async () => {
  const controller = new AbortController();
  const convert: ConvertFiles = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')));
      controller.abort();
    });
  await expect(create('aborted', { files: llama }, convert, controller.signal)).rejects.toMatchObject({
    code: 'cancelled',
  });
});
