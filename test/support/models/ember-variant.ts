// Ember with another template, system message, messages or parameters.

import { parseModelName } from '../../../src/models/name.ts';
import { mediaTypes } from '../../../src/models/store/manifests/manifest.ts';
import { createStore, type StoredModel } from '../../../src/models/store/store.ts';

export interface EmberVariant {
  /** null for none, so that the template in the weights is used. */
  readonly template?: string | null;
  readonly system?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly params?: Readonly<Record<string, unknown>>;
}

export async function addEmberVariant(storeFolder: string, name: string, variant: EmberVariant): Promise<void> {
  const store = createStore(storeFolder);
  const { manifest } = (await store.find(parseModelName('ember'))) as StoredModel;
  const texts = [
    [mediaTypes.template, variant.template],
    [mediaTypes.system, variant.system],
    [mediaTypes.messages, variant.messages && JSON.stringify(variant.messages)],
    [mediaTypes.params, variant.params && JSON.stringify(variant.params)],
  ] as const;
  let { layers } = manifest;
  for (const [mediaType, text] of texts) {
    if (text === undefined) continue;
    layers = layers.filter((layer) => layer.mediaType !== mediaType);
    if (text !== null) layers = [...layers, await store.putBlob(Buffer.from(text), mediaType)];
  }
  await store.putManifest(parseModelName(name), { ...manifest, layers });
}
