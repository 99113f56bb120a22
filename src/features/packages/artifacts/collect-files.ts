// The files of a model in the layers of an artifact: weights, adapters and settings as blobs, and its texts.

import { createReadStream } from 'node:fs';
import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Archive } from '../../../formats/archive/archive.ts';
import { checkPath } from '../../../formats/archive/archive.ts';
import { readTar } from '../../../formats/archive/read-tar.ts';
import type { ModelfileCommand } from '../../../formats/modelfile/modelfile.ts';
import { parametersOf } from '../../../formats/modelfile/parameters.ts';
import { parseModelfile } from '../../../formats/modelfile/parse-modelfile.ts';
import type { Artifact, ArtifactLayer } from '../../../models/registry-client/manifests/read-artifact.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { maxModelFiles } from '../../../server/services/create/find-parts.ts';
import type { HeldBlobs } from '../../../server/services/create/held-blobs.ts';
import type { RecipeFields } from '../../../server/services/create/recipe.ts';
import type { ModelProgress } from '../../../server/services/management/model-progress.ts';
import { findLicenses, isLicenseName } from '../find-model-files.ts';
import { readText } from '../open-package.ts';
import { storeFiles } from '../store-files.ts';

export interface ArtifactFiles extends ModelfileTexts, Pick<RecipeFields, 'licenses' | 'chatTemplate'> {
  /** Digests by the name of the file. */
  readonly files: ReadonlyMap<string, Digest>;
  readonly adapters: ReadonlyMap<string, Digest>;
}

interface CollectOptions {
  readonly store: Store;
  readonly held: HeldBlobs;
  readonly signal: AbortSignal;
}

export async function* collectFiles(
  { layers, config }: Pick<Artifact, 'layers' | 'config'>,
  options: CollectOptions,
): AsyncGenerator<ModelProgress, ArtifactFiles> {
  const { store } = options;
  const { files, adapters, licenseLayers, templateLayer, weights } = sortLayers(layers);
  const licenses = await Promise.all(licenseLayers.map((layer) => readLayerText(store, layer)));
  for (const layer of layers.filter(({ packing }) => packing !== 'raw')) {
    const archive = await openLayer(store, layer);
    if (layer.role === 'documents') licenses.push(...(await readLicenses(archive)));
    else yield* unpack(archive, files, options);
  }
  const isCheckpoint = [...files.keys()].some((name) => name.endsWith('.safetensors'));
  // GGUF files contain their settings.
  const isNeeded = (name: string): boolean =>
    isCheckpoint ? name !== 'Modelfile' : weights.has(name) || /\.gguf$/i.test(name);
  const template = templateLayer ?? (isCheckpoint ? undefined : layerAt(layers, 'chat_template.jinja'));
  const modelfile = layerAt(layers, 'Modelfile');
  const { parameters, ...texts } = readModelfile(modelfile ? await readLayerText(store, modelfile) : '');
  const needed = new Map([...files].filter(([name]) => isNeeded(name)));
  if (needed.size === 0) throw new HearthError('unsupported', 'the artifact has no GGUF or safetensors file');
  return {
    files: needed,
    adapters,
    ...texts,
    parameters: { ...(await readContextSize(store, config)), ...parameters },
    licenses,
    chatTemplate: template && (await readLayerText(store, template)),
  };
}

interface SortedLayers {
  readonly files: Map<string, Digest>;
  readonly adapters: Map<string, Digest>;
  /** The names of files that have weights. */
  readonly weights: ReadonlySet<string>;
  readonly licenseLayers: readonly ArtifactLayer[];
  readonly templateLayer: ArtifactLayer | undefined;
}

/** The raw layers by what they are. */
function sortLayers(layers: readonly ArtifactLayer[]): SortedLayers {
  const files = new Map<string, Digest>();
  const adapters = new Map<string, Digest>();
  const weights = new Set<string>();
  const raw = layers.filter(({ packing }) => packing === 'raw');
  for (const [index, layer] of raw.entries()) {
    const { role, digest } = layer;
    if (role === 'adapter') add(adapters, nameOf(layer, index), digest);
    else if (role === 'weights' || role === 'settings') add(files, nameOf(layer, index), digest);
    if (role === 'weights') weights.add(nameOf(layer, index));
  }
  const licenseLayers = raw.filter(
    ({ role, path }) => role === 'license' || (role === 'documents' && isLicenseName(baseName(path))),
  );
  return { files, adapters, weights, licenseLayers, templateLayer: raw.findLast(({ role }) => role === 'template') };
}

function layerAt(layers: readonly ArtifactLayer[], name: string): ArtifactLayer | undefined {
  return layers.find(({ path, packing }) => path === name && packing === 'raw');
}

/** Files next to the weights that replace texts in them. */
export const settingTexts: ReadonlySet<string> = new Set(['Modelfile', 'chat_template.jinja']);

/** A name that is not given is that of a GGUF file, which has no other form. */
function nameOf({ path, role }: ArtifactLayer, index: number): string {
  if (path === '') return `${role}-${index}.gguf`;
  checkPath(path);
  return path;
}

function add(files: Map<string, Digest>, name: string, digest: Digest): void {
  if (files.has(name)) throw invalid(`two files have the name ${JSON.stringify(name)}`);
  files.set(name, digest);
}

const compressions = { raw: 'none', tar: 'none', 'tar+gzip': 'gzip', 'tar+zstd': 'zstd' } as const;

async function openLayer(store: Store, { digest, size, packing }: ArtifactLayer): Promise<Archive> {
  const path = await store.locateBlob(digest);
  const open = () => createReadStream(path, { highWaterMark: 2 ** 18 });
  return readTar({ compression: compressions[packing], size, open });
}

const modelFile = /\.(?:gguf|safetensors|json|model|jinja)$|(?:^|\/)(?:vocab|merges|added_tokens)\.txt$/i;

async function* unpack(
  archive: Archive,
  files: Map<string, Digest>,
  { store, held, signal }: CollectOptions,
): AsyncGenerator<ModelProgress> {
  const wanted = archive.entries.filter(({ path }) => modelFile.test(path));
  if (wanted.length > maxModelFiles) throw invalid(`it has ${wanted.length} files; the maximum is ${maxModelFiles}`);
  for (const { path } of wanted) yield { status: `unpacking ${path}` };
  const unpacked = await storeFiles(
    { archive, digests: new Map() },
    wanted.map((entry) => ({ entry, name: entry.path })),
    { store, signal, report: () => {}, hold: held.hold, onWritten: held.holdResult },
  );
  for (const [name, digest] of Object.entries(unpacked)) add(files, name, digest);
}

async function readLicenses(archive: Archive): Promise<string[]> {
  const texts: string[] = [];
  for (const entry of findLicenses(archive.entries)) texts.push(await readText(archive, entry));
  return texts;
}

const maxTextBytes = 2 ** 20;

async function readLayerText(store: Store, { digest, size, role }: ArtifactLayer): Promise<string> {
  if (size > maxTextBytes) throw invalid(`a layer (${role}) has ${size} bytes; the maximum is ${maxTextBytes}`);
  return (await store.readBlob({ mediaType: '', digest, size })).toString('utf8');
}

type ModelfileTexts = Pick<RecipeFields, 'template' | 'system' | 'messages' | 'parameters' | 'renderer' | 'parser'>;

/** What a Modelfile next to the weights says, except for the names of files. */
function readModelfile(text: string): ModelfileTexts {
  if (text === '') return { parameters: {} };
  const modelfile = parseModelfile(text);
  const texts: Partial<Record<ModelfileCommand['kind'], string>> = {};
  for (const command of modelfile.commands) if ('value' in command) texts[command.kind] = command.value;
  const messages = modelfile.commands.flatMap((command) =>
    command.kind === 'message' ? [{ role: command.role, content: command.content }] : [],
  );
  const { template, system, renderer, parser } = texts;
  return {
    template,
    system,
    messages: messages.length > 0 ? messages : undefined,
    parameters: parametersOf(modelfile).values,
    // These two are refused where they are not supported, also if they are undefined.
    ...(renderer === undefined ? {} : { renderer }),
    ...(parser === undefined ? {} : { parser }),
  };
}

const maxConfigBytes = 2 ** 20;

/** Docker's config can state the length of the context. */
async function readContextSize(store: Store, { digest, size }: Artifact['config']): Promise<{ num_ctx?: number }> {
  if (size > maxConfigBytes) throw invalid(`the config has ${size} bytes; the maximum is ${maxConfigBytes}`);
  const bytes = await store.readBlob({ mediaType: mediaTypes.config, digest, size });
  const value = contextSizeIn(bytes.toString('utf8'));
  return Number.isSafeInteger(value) && (value as number) > 0 ? { num_ctx: value as number } : {};
}

function contextSizeIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { config?: { context_size?: unknown } } | null)?.config?.context_size;
  } catch {
    throw invalid('the config is not JSON');
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function invalid(reason: string): HearthError {
  return new HearthError('registry_invalid_response', `invalid artifact: ${reason}`);
}
