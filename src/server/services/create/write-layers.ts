// Writes the text layers and the config of a new model. The layers with tensors already exist.

import { type Digest, digestOf } from '../../../base/digest.ts';
import type { OpenModel } from '../../../inference/model/model.ts';
import type { PackageOrigin } from '../../../models/package-origin.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import {
  encodeModelConfig,
  type OllamaCodecs,
  type StoredRemoteModel,
} from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import type { ModelProgress } from '../management/model-progress.ts';
import { readLicenses, readStoredModel } from '../models/open-model.ts';
import { describeParts } from './describe-parts.ts';
import type { ModelPart } from './find-parts.ts';
import { type NewHostedModel, toEngineLayer } from './hosted-model.ts';
import type { Recipe } from './recipe.ts';
import { remoteDetails, toRemoteLayer } from './remote-model.ts';
import type { NewSpeechModel } from './speech-model.ts';

interface LayerWriter extends OllamaCodecs {
  readonly store: Store;
  readonly hold: (digest: Digest) => void;
  /** The API has two sets of status texts for the same steps. */
  readonly quantizes: boolean;
  readonly origin: PackageOrigin | undefined;
  /** Instead of parts. */
  readonly remote?: StoredRemoteModel | undefined;
  /** Instead of parts, too. */
  readonly hosted?: NewHostedModel | undefined;
  readonly speech?: NewSpeechModel | undefined;
}

const statusTexts = {
  plain: { existing: 'using already created layer', written: 'writing layer' },
  quantizing: { existing: 'using existing layer', written: 'creating new layer' },
} as const;

export async function* writeLayers(
  writer: LayerWriter,
  parts: readonly ModelPart[],
  texts: readonly TextLayer[],
): AsyncGenerator<ModelProgress, { readonly config: ManifestLayer; readonly layers: readonly ManifestLayer[] }> {
  const { speech } = writer;
  const layers = speech === undefined ? parts.map(({ layer }) => layer) : [speech.layer];
  const { existing } = writer.quantizes ? statusTexts.quantizing : statusTexts.plain;
  for (const { digest } of layers) yield { status: `${existing} ${digest}` };
  const { remote, hosted } = writer;
  const sourceTexts = [
    ...(remote === undefined ? [] : [toRemoteLayer(remote)]),
    ...(hosted === undefined ? [] : [toEngineLayer(hosted)]),
  ];
  for (const text of [...sourceTexts, ...texts]) {
    if (text.mediaType === mediaTypes.system) yield { status: 'creating system layer' };
    layers.push(yield* writeText(writer, text));
  }
  const config = encodeModelConfig(
    speech?.details ?? hosted?.details ?? (remote === undefined ? describeParts(parts) : remoteDetails),
    layers.map(({ digest }) => digest),
    { ...writer, isSpeech: speech !== undefined },
  );
  return { config: yield* writeText(writer, { mediaType: mediaTypes.config, text: config.toString() }), layers };
}

async function* writeText(
  { store, hold, quantizes }: LayerWriter,
  { mediaType, text }: TextLayer,
): AsyncGenerator<ModelProgress, ManifestLayer> {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes);
  hold(digest);
  const exists = await store.hasBlob(digest);
  const layer = await store.putBlob(bytes, mediaType);
  const { existing, written } = quantizes ? statusTexts.quantizing : statusTexts.plain;
  yield { status: `${exists ? existing : written} ${digest}` };
  return layer;
}

interface TextLayer {
  readonly mediaType: string;
  readonly text: string;
}

/** The texts of the recipe; absent ones are taken from the base model. */
export async function collectTexts(store: Store, recipe: Recipe, base: StoredModel | undefined): Promise<TextLayer[]> {
  const inherited = base === undefined ? undefined : await readStoredModel(store, base);
  const template = recipe.template ?? inherited?.template;
  const chatTemplate = recipe.chatTemplate ?? inheritedJinja(inherited);
  const system = recipe.system ?? inherited?.system ?? '';
  const parameters = { ...inherited?.parameters, ...recipe.parameters };
  const messages = recipe.messages ?? inherited?.messages ?? [];
  const baseLicenses = base === undefined ? [] : await readLicenses(store, base);
  const licenses = new Set([...baseLicenses, ...recipe.licenses]);
  return [
    ...(template === undefined ? [] : [{ mediaType: mediaTypes.template, text: template }]),
    ...(chatTemplate === undefined ? [] : [{ mediaType: mediaTypes.jinja, text: chatTemplate }]),
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

function inheritedJinja(base: OpenModel | undefined): string | undefined {
  return base?.files.kind === 'local' ? base.files.chatTemplate : undefined;
}
