// The layers of a new model: those with numbers are there already, those with words are written, and its config tells what
// it is.

import { type Digest, digestOf } from '../../../base/digest.ts';
import { type Layer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import type { Progress } from '../management/progress.ts';
import { readLicenses, readStoredModel } from '../models/open-model.ts';
import { describeParts } from './describe-parts.ts';
import type { Part } from './find-parts.ts';
import type { Recipe } from './recipe.ts';

export interface LayerWriter {
  readonly store: Store;
  readonly hold: (digest: Digest) => void;
  /** The API has two sets of words for the same steps. */
  readonly quantizes: boolean;
}

const words = {
  plain: { existing: 'using already created layer', written: 'writing layer' },
  quantizing: { existing: 'using existing layer', written: 'creating new layer' },
} as const;

export async function* writeLayers(
  writer: LayerWriter,
  parts: readonly Part[],
  texts: readonly TextLayer[],
): AsyncGenerator<Progress, { readonly config: Layer; readonly layers: readonly Layer[] }> {
  const layers = parts.map(({ layer }) => layer);
  const { existing } = writer.quantizes ? words.quantizing : words.plain;
  for (const { digest } of layers) yield { status: `${existing} ${digest}` };
  for (const text of texts) {
    if (text.mediaType === mediaTypes.system) yield { status: 'creating system layer' };
    layers.push(yield* writeText(writer, text));
  }
  const config = encodeModelConfig(
    describeParts(parts),
    layers.map(({ digest }) => digest),
  );
  return { config: yield* writeText(writer, { mediaType: mediaTypes.config, text: config.toString() }), layers };
}

async function* writeText(
  { store, hold, quantizes }: LayerWriter,
  { mediaType, text }: TextLayer,
): AsyncGenerator<Progress, Layer> {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes);
  hold(digest);
  const isThere = await store.hasBlob(digest);
  const layer = await store.putBlob(bytes, mediaType);
  const { existing, written } = quantizes ? words.quantizing : words.plain;
  yield { status: `${isThere ? existing : written} ${digest}` };
  return layer;
}

export interface TextLayer {
  readonly mediaType: string;
  readonly text: string;
}

/** What the recipe says, and else what the other model has. */
export async function collectTexts(store: Store, recipe: Recipe, base: StoredModel | undefined): Promise<TextLayer[]> {
  const own = base === undefined ? undefined : await readStoredModel(store, base);
  const template = recipe.template ?? own?.template;
  const system = recipe.system ?? own?.system ?? '';
  const parameters = { ...own?.parameters, ...recipe.parameters };
  const messages = recipe.messages ?? own?.messages ?? [];
  const inherited = base === undefined ? [] : await readLicenses(store, base);
  const licenses = new Set([...inherited, ...recipe.licenses]);
  return [
    ...(template === undefined ? [] : [{ mediaType: mediaTypes.template, text: template }]),
    ...(system === '' ? [] : [{ mediaType: mediaTypes.system, text: system }]),
    ...(Object.keys(parameters).length === 0
      ? []
      : [{ mediaType: mediaTypes.params, text: `${JSON.stringify(parameters)}\n` }]),
    ...(messages.length === 0
      ? []
      : [
          {
            mediaType: mediaTypes.messages,
            text: `${JSON.stringify(messages.map(({ role, content }) => ({ role, content })))}\n`,
          },
        ]),
    ...[...licenses].map((text) => ({ mediaType: mediaTypes.license, text })),
  ];
}
