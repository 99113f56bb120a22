// Creates a model from another model, from files, or both, with its own texts and parameters. An existing model of that
// name is replaced when the new one is complete on disk.

import type { Digest } from '../../../base/digest.ts';
import { HearthError, messageOf, requestCanceled } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { checkArchitecture } from '../../../formats/gguf/check-architecture.ts';
import { checkVocabulary } from '../../../formats/gguf/check-vocabulary.ts';
import { modelfileError } from '../../../formats/modelfile/modelfile.ts';
import type { Compute } from '../../../inference/compute/compute.ts';
import type { QuantizeFile } from '../../../inference/engine/quantize-file.ts';
import { formatModelName, type ModelName } from '../../../models/name.ts';
import type { PackageOrigin } from '../../../models/package-origin.ts';
import { localNameOf } from '../../../models/package-reference.ts';
import type { Quantization } from '../../../models/quantization.ts';
import { digestsOf, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import { decodeCodecs, type OllamaCodecs } from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import type { ModelProgress } from '../management/model-progress.ts';
import type { PullModel } from '../management/pull-model.ts';
import { requireModel } from '../models/model-access.ts';
import { type ConvertOptions, convertPart } from './convert-part.ts';
import { findDraftPart } from './find-draft-part.ts';
import { findBase, findMissingBase, findParts, type ModelPart, type PartsFinder, readBaseParts } from './find-parts.ts';
import { createHeldBlobs } from './held-blobs.ts';
import { findHostedModel } from './hosted-model.ts';
import type { ConvertFiles, PullPackage } from './model-sources.ts';
import { type QuantizeOptions, quantizePart } from './quantize-part.ts';
import { type RecipeRequest, readRecipe } from './read-recipe.ts';
import type { Recipe } from './recipe.ts';
import { type DescribeRemote, findRemoteModel } from './remote-model.ts';
import { findSpeechModel } from './speech-model.ts';
import { usualCodecs } from './usual-codecs.ts';
import { collectTexts, writeLayers } from './write-layers.ts';

export interface CreateInput extends RecipeRequest {
  readonly name: ModelName;
  /** Undefined: the weights are not changed. */
  readonly quantization: Quantization | undefined;
  /** An uploaded importance matrix for the quantizer. */
  readonly imatrix?: Digest | undefined;
  /** Recorded in the new model. */
  readonly origin?: PackageOrigin;
}

interface CreateServices {
  readonly store: Store;
  readonly quantizeFile: QuantizeFile;
  readonly convertFiles: ConvertFiles;
  readonly pullModel: PullModel;
  readonly pullPackage: PullPackage;
  readonly compute: Compute;
  readonly describeRemote: DescribeRemote;
  readonly logger: Logger;
}

export type CreateModel = (input: CreateInput, signal: AbortSignal) => AsyncGenerator<ModelProgress>;

export function createCreateModel(services: CreateServices): CreateModel {
  const { store, quantizeFile, convertFiles, compute, logger } = services;
  return async function* createModel(input, signal) {
    const { name, quantization, imatrix } = input;
    requireModel(name);
    const recipe = await readCheckedRecipe(input, compute, signal);
    for (const warning of recipe.warnings) logger.warn(warning, { model: formatModelName(name) });

    const held = createHeldBlobs(store);
    const { hold } = held;
    const finder: PartsFinder = { store, localFiles: input.localFiles, signal, hold };
    try {
      yield { status: 'reading model metadata' };
      yield* pullMissingBase(recipe, finder, services);
      const base = await findBase(recipe, finder);
      const elsewhere = await findElsewhere({ recipe, base, ...input }, services, finder);
      const converter = { store, convertFiles, signal, held, name: name.model };
      const quantizer = quantization && { quantization, imatrix, quantizeFile, store, signal, hold };
      const { parts, maxTokens } =
        elsewhere === undefined
          ? yield* buildParts(recipe, base, { finder, converter, quantizer })
          : { parts: [], maxTokens: undefined };

      const named = await codecsOf(store, recipe, base);
      const { stop, ...codecs } =
        recipe.template === undefined ? usualCodecs(named, parts) : { ...named, stop: undefined };
      const texts = await collectTexts(store, withDefaults(recipe, { num_ctx: maxTokens, stop }), base);
      const writer = {
        store,
        hold,
        quantizes: quantization !== undefined,
        origin: input.origin,
        ...elsewhere,
        ...codecs,
      };
      const { config, layers } = yield* writeLayers(writer, parts, texts);
      signal.throwIfAborted();
      yield { status: 'writing manifest' };
      const replaced = await store.find(name).catch(() => undefined);
      await store.putManifest(name, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers });
      if (replaced !== undefined) await store.removeUnusedBlobs(digestsOf(replaced.manifest));
      yield { status: 'success' };
    } catch (error) {
      throw signal.aborted ? requestCanceled() : error;
    } finally {
      await held.release();
    }
  };
}

async function readCheckedRecipe(
  input: CreateInput,
  compute: CreateServices['compute'],
  signal: AbortSignal,
): Promise<Recipe> {
  const recipe = await readRecipe(input, signal).catch((error: unknown) => {
    throw signal.aborted ? requestCanceled() : error;
  });
  await checkTemplate(recipe, compute);
  return recipe;
}

/** A template of the recipe replaces what the base model names. */
async function codecsOf(store: Store, recipe: Recipe, base: StoredModel | undefined): Promise<OllamaCodecs> {
  const inherits = base !== undefined && recipe.template === undefined;
  const inherited = inherits ? decodeCodecs(await store.readBlob(base.manifest.config)) : {};
  return { renderer: recipe.renderer || inherited.renderer, parser: recipe.parser || inherited.parser };
}

/** A model without weights here. Undefined for others. */
async function findElsewhere(
  sources: Parameters<typeof findHostedModel>[0],
  services: CreateServices,
  finder: PartsFinder,
) {
  const speech = await findSpeechModel(sources, finder);
  if (speech !== undefined) return { speech };
  const remote = await findRemoteModel(sources, services, finder.signal);
  const hosted = await findHostedModel(sources, services.store);
  return remote === undefined && hosted === undefined ? undefined : { remote, hosted };
}

/** Pulls a base model that is not in the store. */
async function* pullMissingBase(
  recipe: Recipe,
  finder: PartsFinder,
  { pullModel, pullPackage }: CreateServices,
): AsyncGenerator<ModelProgress> {
  // With an engine, FROM names a checkpoint.
  const base = recipe.engine === undefined ? await findMissingBase(recipe, finder) : undefined;
  if (base === undefined) return;
  const pull =
    base.kind === 'package'
      ? pullPackage({ reference: base.package, name: localNameOf(base.package) }, finder.signal)
      : pullModel({ model: base, insecure: false }, finder.signal);
  for await (const progress of pull) {
    // Creation continues after the pull.
    if (progress.status !== 'success') yield progress;
  }
}

async function checkTemplate({ template, templateLine }: Recipe, compute: Compute): Promise<void> {
  if (template === undefined) return;
  try {
    await compute('readTemplate', template);
  } catch (error) {
    if (error instanceof HearthError && error.code !== 'bad_template') throw error;
    throw modelfileError(`template error: ${messageOf(error)}`, templateLine);
  }
}

/** Parameters that the author can set otherwise. Texts for an embedding model are cut at the length that it states. */
function withDefaults(recipe: Recipe, defaults: Readonly<Record<string, unknown>>): Recipe {
  const known = Object.entries(defaults).filter(([, value]) => value !== undefined);
  return known.length === 0
    ? recipe
    : { ...recipe, parameters: { ...Object.fromEntries(known), ...recipe.parameters } };
}

interface PartsContext {
  readonly finder: PartsFinder;
  readonly converter: ConvertOptions;
}

/** Checks the parts, and quantizes the weights if that is asked for. */
async function* buildParts(
  recipe: Recipe,
  base: StoredModel | undefined,
  { quantizer, ...context }: PartsContext & { readonly quantizer: QuantizeOptions | undefined },
): AsyncGenerator<ModelProgress, CollectedParts> {
  const collected = yield* collectParts(recipe, base, context);
  checkParts(collected.parts);
  checkArchitectures(collected.parts);
  await checkVocabularies(collected.parts, context.finder.store);
  if (quantizer === undefined) return collected;
  return { ...collected, parts: yield* quantizeWeights(collected.parts, quantizer) };
}

interface CollectedParts {
  readonly parts: ModelPart[];
  readonly maxTokens?: number;
}

async function* collectParts(
  recipe: Recipe,
  base: StoredModel | undefined,
  { finder, converter }: PartsContext,
): AsyncGenerator<ModelProgress, CollectedParts> {
  const own = base === undefined ? [] : await readBaseParts(base, finder);
  // Files may follow a base model, for example a projector.
  const files = await findParts(base === undefined ? recipe.sources : recipe.sources.slice(1), recipe.folder, finder);
  const wantsProjector = !files.some(({ layer }) => layer.mediaType === mediaTypes.projector);
  const converted = recipe.checkpoint && (yield* convertPart(recipe.checkpoint, converter, { wantsProjector }));
  const fromCheckpoint = [converted?.part, converted?.projector].filter((part) => part !== undefined);
  const models = [...own, ...fromCheckpoint, ...files];
  const adapters = yield* collectAdapters(recipe, models, { finder, converter });
  const drafts = await findDraftPart(recipe, models, finder);
  // Adapters and the draft model of the recipe replace those of the base model.
  const replaced = new Set([...adapters, ...drafts].map(({ layer }) => layer.mediaType));
  const kept = models.filter((part) => !own.includes(part) || !replaced.has(part.layer.mediaType));
  const { maxTokens } = converted ?? {};
  return { parts: [...kept, ...adapters, ...drafts], maxTokens };
}

async function* collectAdapters(
  recipe: Recipe,
  models: readonly ModelPart[],
  { finder, converter }: PartsContext,
): AsyncGenerator<ModelProgress, ModelPart[]> {
  if (recipe.adapterCheckpoint !== undefined) {
    const base = models.find(({ layer }) => layer.mediaType === mediaTypes.model);
    if (base === undefined) throw new HearthError('bad_request', 'no base model specified for the adapter');
    return [(yield* convertPart(recipe.adapterCheckpoint, converter, { base })).part];
  }
  const adapters = await findParts(recipe.adapters, recipe.folder, finder);
  if (!adapters.every(isAdapter)) throw new HearthError('bad_request', 'the file of ADAPTER is not an adapter');
  return adapters;
}

function isAdapter({ layer }: ModelPart): boolean {
  return layer.mediaType === mediaTypes.adapter;
}

function checkParts(parts: readonly ModelPart[]): void {
  const count = (mediaType: string): number => parts.filter(({ layer }) => layer.mediaType === mediaType).length;
  if (count(mediaTypes.model) === 0) throw new HearthError('bad_request', 'none of the files contains model weights');
  if (count(mediaTypes.model) > 1)
    throw new HearthError('bad_request', 'more than one of the files contains model weights');
  if (count(mediaTypes.adapter) > 1) throw new HearthError('bad_request', 'only one adapter is currently supported');
}

/** Weights of another model were checked before, or came from a registry that has newer ones. */
function checkArchitectures(parts: readonly ModelPart[]): void {
  for (const { layer, gguf } of parts) {
    const isNew = layer.from === undefined;
    if (isNew && (layer.mediaType === mediaTypes.model || layer.mediaType === mediaTypes.draft))
      checkArchitecture(gguf);
  }
}

/** Weights that llama.cpp cannot load. Those of another model were checked before, or cannot be loaded there either. */
async function checkVocabularies(parts: readonly ModelPart[], store: Store): Promise<void> {
  for (const { layer, gguf } of parts) {
    const isNew = layer.from === undefined;
    if (isNew && (layer.mediaType === mediaTypes.model || layer.mediaType === mediaTypes.draft))
      await checkVocabulary(await store.locateBlob(layer.digest), gguf);
  }
}

async function* quantizeWeights(
  parts: readonly ModelPart[],
  options: QuantizeOptions,
): AsyncGenerator<ModelProgress, ModelPart[]> {
  const quantized: ModelPart[] = [];
  for (const part of parts) {
    const isWeights = part.layer.mediaType === mediaTypes.model;
    if (isWeights) quantized.push(...(yield* quantizePart(part, options)));
    else quantized.push(part);
  }
  return quantized;
}
