import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { StoredModel } from '../../../models/store/store.ts';
import { findWeightsIn, openModel } from '../../../server/services/models/open-model.ts';
import { findDraft } from './resolve-files.ts';

const fixture = createServiceFixture();
const { store } = fixture;
const services = fixture.createServices();
afterAll(() => fixture.remove());

const vocabulary = (kind: string) =>
  ({
    'tokenizer.ggml.model': { type: 'string', value: kind },
    'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'b'] },
  }) as const;

beforeAll(async () => {
  await fixture.putModel('target', { metadata: vocabulary('gpt2') });
  await fixture.putModel('small', {
    metadata: { ...vocabulary('gpt2'), 'general.name': { type: 'string', value: 's' } },
  });
  await fixture.putModel('foreign', { metadata: vocabulary('llama') });
  await addDraftLayer('with-small', 'small');
  await addDraftLayer('with-foreign', 'foreign');
});

const manifestOf = async (name: string) => ((await store.find(parseModelName(name))) as StoredModel).manifest;

async function addDraftLayer(name: string, draft: string): Promise<void> {
  const target = await manifestOf('target');
  const layer = (await manifestOf(draft)).layers.find(({ mediaType }) => mediaType === mediaTypes.model);
  if (layer === undefined) throw new Error('the model has no weights');
  const layers = [...target.layers, { ...layer, mediaType: mediaTypes.draft }];
  await store.putManifest(parseModelName(name), { ...target, layers });
}

async function find(model: string, name?: string) {
  const findWeights = (other: string) => findWeightsIn(store, other);
  return findDraft({ ...services, findWeights }, await openModel(store, parseRequestedModel(model)), name);
}

async function digestOfWeights(name: string) {
  return (await manifestOf(name)).layers[0]?.digest;
}

test('a model has no draft model by default', async () => {
  expect(await find('target')).toBeUndefined();
});

test('the option names a model of the store', async () => {
  expect(await find('target', 'small')).toMatchObject({ digest: await digestOfWeights('small') });
});

test('a model has its own, and the option replaces it or switches it off', async () => {
  expect(await find('with-small')).toMatchObject({ digest: await digestOfWeights('small') });
  expect(await find('with-small', 'target')).toMatchObject({ digest: await digestOfWeights('target') });
  expect(await find('with-small', '')).toBeUndefined();
});

test('a name that does not fit or does not exist is an error', async () => {
  const message = 'does not fit target:latest: its tokenizer is "llama" instead of "gpt2"';
  await expect(find('target', 'foreign')).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(message),
  });
  await expect(find('target', 'missing')).rejects.toMatchObject({ code: 'bad_request' });
});

test('an own draft model that does not fit is not used', async () => {
  expect(await find('with-foreign')).toBeUndefined();
  expect(services.logs.join()).toContain('it is not used');
});
