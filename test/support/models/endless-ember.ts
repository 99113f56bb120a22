// Ember without end-of-text tokens, so that answers end only at a limit: for tests that need a long-running request.

import { readFileSync } from 'node:fs';
import { parseModelName } from '../../../src/models/name.ts';
import { type ManifestLayer, mediaTypes } from '../../../src/models/store/manifests/manifest.ts';
import { createStore } from '../../../src/models/store/store.ts';
import { repository } from '../repository.ts';

// The last token of the vocabulary, which does not occur in the training data.
const neverChosen = 8191;

export function endlessEmber(): Buffer {
  const weights = Buffer.from(readFileSync(repository('models/ember-q4_k_m.gguf')));
  // The vocabulary comes before the chat template, which contains these tokens too.
  for (const [token, harmless] of [
    ['<|im_end|>', '<|im_xyz|>'],
    ['<|endoftext|>', '<|nomoretext>'],
  ] as const) {
    const offset = weights.indexOf(token);
    if (offset === -1) throw new Error(`Ember has no ${token}`);
    weights.write(harmless, offset, 'latin1');
  }
  for (const key of ['tokenizer.ggml.eos_token_id', 'tokenizer.ggml.eot_token_id']) {
    // The key is followed by its type and its value, four bytes each.
    weights.writeUInt32LE(neverChosen, weights.indexOf(key) + key.length + 4);
  }
  return weights;
}

// One of twenty answers of 1,500 tokens repeats a token so often that it is ended, if repetitions are not penalized.
const withoutRepetitions = { repeat_penalty: 1.5 };

/** Adds Ember without end-of-text tokens to a store. */
export async function addEndlessModel(storeFolder: string, name: string): Promise<ManifestLayer> {
  return addModel(storeFolder, name, endlessEmber(), withoutRepetitions);
}

/** Adds a model with these weights and options, and no template, to a store. Returns the layer of the weights. */
export async function addModel(
  storeFolder: string,
  name: string,
  weights: Buffer,
  options: Readonly<Record<string, number>> = {},
): Promise<ManifestLayer> {
  const store = createStore(storeFolder);
  const layer = await store.putBlob(weights, mediaTypes.model);
  const layers = [layer];
  if (Object.keys(options).length > 0)
    layers.push(await store.putBlob(Buffer.from(JSON.stringify(options)), mediaTypes.params));
  await store.putManifest(parseModelName(name), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers,
  });
  return layer;
}
