// A model as the services use it: everything that its layers say, read from the store.

import type { Message } from '../chat/message.ts';
import type { ModelFiles } from '../engine/ports.ts';
import { HearthError, messageOf } from '../kernel/errors.ts';
import { formatModelName, parseModelName } from '../model/name.ts';
import { type OptionValues, parseOptions } from '../model/options.ts';
import { type Layer, type Manifest, mediaTypes } from '../store/manifest.ts';
import type { Store, StoredModel } from '../store/store.ts';

export interface OpenModel {
  /** As lists show it. */
  readonly displayName: string;
  readonly files: ModelFiles;
  readonly hasProjector: boolean;
  readonly template: string;
  readonly system: string;
  readonly options: OptionValues;
  readonly messages: readonly Message[];
}

const defaultTemplate = '{{ .Prompt }}';

export async function openModel(store: Store, requested: string): Promise<OpenModel> {
  if (requested === '') throw new HearthError('bad_request', 'model is required');
  const stored = await store.find(parseModelName(requested));
  if (stored === undefined)
    throw new HearthError('model_not_found', `model "${requested}" not found, try pulling it first`);
  return readModel(store, stored);
}

async function readModel(store: Store, { name, manifest }: StoredModel): Promise<OpenModel> {
  const text = async (...types: readonly string[]): Promise<string | undefined> => {
    const layer = layersOf(manifest, ...types).at(-1);
    return layer && (await store.readBlob(layer)).toString('utf8');
  };
  const displayName = formatModelName(name);
  return {
    displayName,
    files: filesOf(store, manifest, displayName),
    hasProjector: layersOf(manifest, mediaTypes.projector).length > 0,
    template: (await text(mediaTypes.template, mediaTypes.prompt)) ?? defaultTemplate,
    system: (await text(mediaTypes.system)) ?? '',
    options: readOptions(displayName, await text(mediaTypes.params)),
    messages: readMessages(displayName, await text(mediaTypes.messages)),
  };
}

function filesOf(store: Store, manifest: Manifest, displayName: string): ModelFiles {
  const [weights] = layersOf(manifest, mediaTypes.model);
  if (weights === undefined) throw new HearthError('store_damaged', `model ${displayName} has no weights`);
  const adapters = layersOf(manifest, mediaTypes.adapter);
  return {
    key: [weights, ...adapters].map(({ digest }) => digest).join(' '),
    weightsPath: store.blobPath(weights.digest),
    adapterPaths: adapters.map(({ digest }) => store.blobPath(digest)),
  };
}

function layersOf(manifest: Manifest, ...types: readonly string[]): Layer[] {
  return manifest.layers.filter(({ mediaType }) => types.includes(mediaType));
}

function readOptions(displayName: string, text: string | undefined): OptionValues {
  if (text === undefined) return {};
  return parseOptions(readJson(displayName, text) as Record<string, unknown>).values;
}

function readMessages(displayName: string, text: string | undefined): Message[] {
  if (text === undefined) return [];
  const list = readJson(displayName, text);
  if (!Array.isArray(list))
    throw new HearthError('store_damaged', `the messages of model ${displayName} are not a list`);
  return list.map((entry: { role?: unknown; content?: unknown }) => ({
    role: String(entry.role),
    content: String(entry.content ?? ''),
  }));
}

function readJson(displayName: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HearthError('store_damaged', `a layer of model ${displayName} is not JSON: ${messageOf(error)}`);
  }
}
