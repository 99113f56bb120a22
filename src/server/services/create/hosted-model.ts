// Models of other engines: `ENGINE vllm` with FROM a checkpoint, or FROM a model that is one. The checkpoint stays where it is.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import { type CheckpointFacts, readCheckpoint } from '../../../inference/engine/hosted/read-checkpoint.ts';
import type { ModelDetails } from '../../../models/details.ts';
import {
  type EngineName,
  type EngineParameters,
  engineParametersIn,
  isCheckpointName,
} from '../../../models/engine-parameters.ts';
import { formatModelName } from '../../../models/name.ts';
import type { Quantization } from '../../../models/quantization.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import {
  decodeHostedModel,
  decodeModelConfig,
  type StoredHostedModel,
} from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';
import { engineLayerOf } from '../models/open-model.ts';
import type { Recipe } from './recipe.ts';

export interface NewHostedModel extends StoredHostedModel {
  readonly details: ModelDetails;
}

interface HostedSources {
  readonly recipe: Recipe;
  readonly base: StoredModel | undefined;
  readonly quantization: Quantization | undefined;
  /** Whether the caller may name folders of this machine. */
  readonly localFiles: boolean;
}

/** Undefined for a recipe that names no engine. */
export async function findHostedModel(
  { recipe, base, quantization, localFiles }: HostedSources,
  store: Store,
): Promise<NewHostedModel | undefined> {
  const { sources, adapters, adapterCheckpoint, draft, engine } = recipe;
  const parameters = engineParametersIn(recipe.parameters);
  const inherited = base && (await readHostedModel(store, base));
  if (engine === undefined && inherited === undefined) {
    const [name] = Object.keys(parameters);
    if (name === undefined) return undefined;
    throw new HearthError('bad_request', `the parameter ${name} needs an engine: add ENGINE vllm`);
  }
  const hasParts = sources.length > 1 || adapters.length > 0 || [adapterCheckpoint, draft, quantization].some(Boolean);
  if (hasParts || recipe.checkpoint !== undefined)
    throw new HearthError('bad_request', 'a model of another engine has one checkpoint, and no other files here');
  if (inherited !== undefined) return inherited;
  if (base !== undefined)
    throw new HearthError(
      'bad_request',
      `${engine} runs checkpoints, and ${formatModelName(base.name)} has GGUF weights`,
    );
  return engine && describe(engine, await locate(recipe, localFiles), parameters);
}

async function readHostedModel(store: Store, { manifest }: StoredModel): Promise<NewHostedModel | undefined> {
  if (engineLayerOf(manifest) === undefined) return undefined;
  const config = await store.readBlob(manifest.config);
  const hosted = decodeHostedModel(config);
  return hosted && { ...hosted, details: decodeModelConfig(config) };
}

interface LocatedCheckpoint {
  readonly checkpoint: string;
  /** Undefined for a name. */
  readonly facts: CheckpointFacts | undefined;
}

async function locate({ sources: [source], folder }: Recipe, localFiles: boolean): Promise<LocatedCheckpoint> {
  if (source?.kind === 'model' && isCheckpointName(source.text)) return { checkpoint: source.text, facts: undefined };
  if (source?.kind !== 'path')
    throw new HearthError('bad_request', 'the engine needs a folder with a checkpoint, or the name of one');
  if (!localFiles)
    throw new HearthError('forbidden', 'folders of the server can be named only by clients on the same machine');
  const checkpoint = resolve(
    folder,
    source.path.replace(/^~(?=\/)/, () => homedir()),
  );
  const facts = await readCheckpoint(checkpoint);
  if (facts !== undefined) return { checkpoint, facts };
  // One text for all reasons, so that the API does not tell which files exist.
  const message = `${join(source.path, 'config.json')} does not exist, is not readable, or is not a configuration of a checkpoint`;
  throw new HearthError('bad_request', message);
}

function describe(
  engine: EngineName,
  { checkpoint, facts }: LocatedCheckpoint,
  parameters: EngineParameters,
): NewHostedModel {
  const { max_model_len: asked } = parameters;
  return {
    engine,
    checkpoint,
    capabilities: capabilitiesOf(facts, parameters),
    contextLength: typeof asked === 'number' ? asked : facts?.contextLength,
    details: {
      format: 'safetensors',
      family: facts?.family ?? '',
      families: facts?.family ? [facts.family] : null,
      parameterSize: '',
      quantizationLevel: '',
    },
  };
}

function capabilitiesOf(facts: CheckpointFacts | undefined, parameters: EngineParameters): string[] {
  const { architecture = '', hasVision = false } = facts ?? {};
  const { convert, runner, tool_call_parser: toolParser, reasoning_parser: thinkingParser } = parameters;
  if (convert === 'classify' || architecture.endsWith('ForSequenceClassification')) return ['rerank'];
  if (convert === 'embed' || runner === 'pooling' || /(?:Model|ForMaskedLM)$/.test(architecture)) return ['embedding'];
  return [
    'completion',
    ...(hasVision ? ['vision'] : []),
    ...(toolParser === undefined ? [] : ['tools']),
    ...(thinkingParser === undefined ? [] : ['thinking']),
  ];
}

/** Models with the same layer are the same model. */
export function toEngineLayer({ engine, checkpoint }: StoredHostedModel) {
  return { mediaType: mediaTypes.engine, text: `${JSON.stringify({ engine, checkpoint })}\n` };
}
