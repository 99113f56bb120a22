// Ember without tokens that end a text, so that no answer ever ends by itself: for tests that need a request to run
// for as long as they like.

import { readFileSync } from 'node:fs';
import { parseModelName } from '../../../src/models/name.ts';
import { type Layer, mediaTypes } from '../../../src/models/store/manifests/manifest.ts';
import { createStore } from '../../../src/models/store/store.ts';
import { repository } from '../repository.ts';

// "<|unused0|>" or the like: the last token of the vocabulary, which training never saw.
const neverChosen = 8191;

export function endlessEmber(): Buffer {
  const weights = Buffer.from(readFileSync(repository('models/ember-q8_0.gguf')));
  // The vocabulary comes before the chat template, which mentions them too.
  for (const [token, harmless] of [
    ['<|im_end|>', '<|im_xyz|>'],
    ['<|endoftext|>', '<|nomoretext>'],
  ] as const) {
    const place = weights.indexOf(token);
    if (place === -1) throw new Error(`Ember has no ${token}`);
    weights.write(harmless, place, 'latin1');
  }
  for (const key of ['tokenizer.ggml.eos_token_id', 'tokenizer.ggml.eot_token_id']) {
    // Behind the key stand its type and its value, four bytes each.
    weights.writeUInt32LE(neverChosen, weights.indexOf(key) + key.length + 4);
  }
  return weights;
}

/** Puts a model with these weights into a store, without a template. */
export async function addModel(storeFolder: string, name: string, weights: Buffer): Promise<Layer> {
  const store = createStore(storeFolder);
  const layer = await store.putBlob(weights, mediaTypes.model);
  await store.putManifest(parseModelName(name), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers: [layer],
  });
  return layer;
}
