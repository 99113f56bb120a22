// Speech models: FROM a file with the weights of a Whisper model, or FROM a model that is one.

import { stat } from 'node:fs/promises';
import { HearthError } from '../../../base/errors.ts';
import { readWhisper, type WhisperFile } from '../../../formats/speech/read-whisper.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { formatParameterCount } from '../../../models/details.ts';
import { formatModelName } from '../../../models/name.ts';
import type { Quantization } from '../../../models/quantization.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { decodeModelConfig, isSpeechConfig } from '../../../models/store/manifests/model-config.ts';
import type { StoredModel } from '../../../models/store/store.ts';
import { findBlob, isWhisperAt, type PartsFinder } from './find-parts.ts';
import type { Recipe } from './recipe.ts';
import { openServerFile } from './server-file.ts';

export interface NewSpeechModel {
  readonly layer: ManifestLayer;
  readonly details: ModelDetails;
}

interface SpeechSources {
  readonly recipe: Recipe;
  readonly base: StoredModel | undefined;
  readonly quantization: Quantization | undefined;
}

/** Undefined for a recipe of another kind of model. */
export async function findSpeechModel(
  { recipe, base, quantization }: SpeechSources,
  finder: PartsFinder,
): Promise<NewSpeechModel | undefined> {
  const found = base === undefined ? await findFile(recipe, finder) : await readBase(base, finder);
  if (found === undefined) return undefined;
  const { sources, adapters, adapterCheckpoint, draft, engine } = recipe;
  if (sources.length > 1 || adapters.length > 0 || [adapterCheckpoint, draft, engine, quantization].some(Boolean))
    throw new HearthError('bad_request', 'a speech model has one file, which is used as it is');
  return found;
}

async function readBase({ name, manifest }: StoredModel, finder: PartsFinder): Promise<NewSpeechModel | undefined> {
  const config = await finder.store.readBlob(manifest.config);
  const layer = manifest.layers.find(({ mediaType }) => mediaType === mediaTypes.model);
  if (layer === undefined || !isSpeechConfig(config)) return undefined;
  finder.hold(layer.digest);
  return { layer: { ...layer, from: formatModelName(name) }, details: decodeModelConfig(config) };
}

async function findFile({ sources, folder, engine }: Recipe, finder: PartsFinder): Promise<NewSpeechModel | undefined> {
  const [source] = sources;
  if (source === undefined || engine !== undefined || !(await isWhisperAt(source, folder, finder))) return undefined;
  const digest = await findBlob(source, folder, finder);
  const path = await finder.store.locateBlob(digest);
  const file = await openServerFile(path);
  try {
    finder.hold(digest);
    const { size } = await stat(path);
    return { layer: { mediaType: mediaTypes.model, digest, size }, details: describe(await readWhisper(file)) };
  } finally {
    await file.handle.close();
  }
}

function describe({ parameters, quantization }: WhisperFile): ModelDetails {
  return {
    format: 'ggml',
    family: 'whisper',
    families: ['whisper'],
    parameterSize: formatParameterCount(parameters),
    quantizationLevel: quantization,
  };
}
