// A model as the services use it, read from its layers in the store.

import type { Digest } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Message } from '../../../inference/model/conversation.ts';
import type { OpenModel, StoredDraft } from '../../../inference/model/model.ts';
import type {
  HostedModelSource,
  LocalModelSource,
  ModelSource,
  RemoteModelSource,
} from '../../../inference/model/model-source.ts';
import { engineParametersIn } from '../../../models/engine-parameters.ts';
import { keepAliveIn } from '../../../models/keep-alive.ts';
import { formatModelName, missingModel, parseModelName, type RequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { type Manifest, type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import {
  decodeCodecs,
  decodeHostedModel,
  decodeModelConfig,
  decodeRemoteModel,
  isSpeechConfig,
  speechCapabilities,
} from '../../../models/store/manifests/model-config.ts';
import type { Store, StoredModel } from '../../../models/store/store.ts';

/** `notFound` is the error message for a model that does not exist. */
export async function openModel(
  store: Store,
  { name, text }: RequestedModel,
  notFound = `model '${text}' not found`,
): Promise<OpenModel> {
  const stored = await store.find(name);
  if (stored === undefined) throw missingModel({ name, text }, notFound);
  return readStoredModel(store, stored);
}

// The models of remotes by their manifests, which the store keeps until they change. Every request opens one. Other models
// are opened each time, because their files may be missing.
const openRemotes = new WeakMap<Manifest, OpenModel>();

export async function readStoredModel(store: Store, stored: StoredModel): Promise<OpenModel> {
  const displayName = formatModelName(stored.name);
  const known = openRemotes.get(stored.manifest);
  if (known?.displayName === displayName) return known;
  const model = await readLayers(store, stored, displayName);
  if (remoteLayerOf(stored.manifest) !== undefined) openRemotes.set(stored.manifest, model);
  return model;
}

async function readLayers(store: Store, { manifest }: StoredModel, displayName: string): Promise<OpenModel> {
  const text = async (...types: readonly string[]): Promise<string | undefined> => {
    const layer = layersOf(manifest, ...types).at(-1);
    return layer && (await store.readBlob(layer)).toString('utf8');
  };
  const parameters = readParameters(displayName, await text(mediaTypes.params));
  const config = await store.readBlob(manifest.config);
  const { renderer = '', parser = '' } = decodeCodecs(config);
  return {
    displayName,
    files: await sourceOf(store, manifest, { displayName, parameters }),
    draft: await draftOf(store, layersOf(manifest, mediaTypes.draft)[0]),
    digests: digestsIn(partsOf(manifest)),
    template: await text(mediaTypes.template, mediaTypes.prompt),
    renderer,
    parser,
    parameterSize: decodeModelConfig(config).parameterSize,
    system: (await text(mediaTypes.system)) ?? '',
    options: parseOptions(parameters).values,
    parameters,
    keepAliveMs: readKeepAlive(displayName, parameters),
    messages: readMessages(displayName, await text(mediaTypes.messages)),
    parentModel: parentOf(manifest),
  };
}

/** Read separately: licenses are long, and generation does not need them. */
export function readLicenses(store: Store, { manifest }: StoredModel): Promise<string[]> {
  const layers = layersOf(manifest, mediaTypes.license);
  return Promise.all(layers.map(async (layer) => (await store.readBlob(layer)).toString('utf8')));
}

/** Empty if unknown. */
export function parentOf(manifest: Manifest): string {
  return layersOf(manifest, mediaTypes.model)[0]?.from ?? '';
}

interface Parts {
  readonly weights: ManifestLayer;
  readonly adapters: readonly ManifestLayer[];
  readonly projector: ManifestLayer | undefined;
}

/** The files that a runner loads; undefined for a model without weights. */
function partsOf(manifest: Manifest): Parts | undefined {
  const [weights] = layersOf(manifest, mediaTypes.model);
  const [projector] = layersOf(manifest, mediaTypes.projector);
  return weights && { weights, adapters: layersOf(manifest, mediaTypes.adapter), projector };
}

/** Empty for a model of a remote. */
function digestsIn(parts: Parts | undefined): Digest[] {
  if (parts === undefined) return [];
  const { weights, adapters, projector } = parts;
  return [weights, ...adapters, ...(projector ? [projector] : [])].map(({ digest }) => digest);
}

/** Identifies the weights, adapters and projector. Models with the same key share a runner. */
export function keyOf(manifest: Manifest): string | undefined {
  const parts = partsOf(manifest);
  if (parts !== undefined) return digestsIn(parts).join(' ');
  const remote = remoteLayerOf(manifest);
  if (remote !== undefined) return `remote ${remote.digest}`;
  const engine = engineLayerOf(manifest);
  return engine && `engine ${engine.digest}`;
}

/** A model of a remote has this layer instead of weights. */
export function remoteLayerOf(manifest: Manifest): ManifestLayer | undefined {
  return layersOf(manifest, mediaTypes.remote)[0];
}

/** A model of another engine has this layer instead of weights. */
export function engineLayerOf(manifest: Manifest): ManifestLayer | undefined {
  return layersOf(manifest, mediaTypes.engine)[0];
}

interface NamedParameters {
  readonly displayName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

async function sourceOf(store: Store, manifest: Manifest, model: NamedParameters): Promise<ModelSource> {
  if (remoteLayerOf(manifest) !== undefined) return remoteOf(store, manifest, model.displayName);
  if (engineLayerOf(manifest) !== undefined) return hostedOf(store, manifest, model);
  if (isSpeechConfig(await store.readBlob(manifest.config))) return speechOf(store, manifest, model.displayName);
  return filesOf(store, manifest, model.displayName);
}

async function speechOf(store: Store, manifest: Manifest, displayName: string): Promise<HostedModelSource> {
  const { key, weightsPath: checkpoint } = await filesOf(store, manifest, displayName);
  return { kind: 'hosted', key, engine: 'whisper', checkpoint, parameters: {}, capabilities: speechCapabilities };
}

async function hostedOf(
  store: Store,
  manifest: Manifest,
  { displayName, parameters }: NamedParameters,
): Promise<HostedModelSource> {
  const described = decodeHostedModel(await store.readBlob(manifest.config));
  if (described === undefined) throw new HearthError('store_damaged', `model ${displayName} does not name its engine`);
  return { kind: 'hosted', key: keyOf(manifest) ?? '', ...described, parameters: engineParametersIn(parameters) };
}

async function remoteOf(store: Store, manifest: Manifest, displayName: string): Promise<RemoteModelSource> {
  const described = decodeRemoteModel(await store.readBlob(manifest.config));
  if (described === undefined) throw new HearthError('store_damaged', `model ${displayName} does not name its remote`);
  const { host: remote, ...rest } = described;
  return { kind: 'remote', key: keyOf(manifest) ?? '', remote, ...rest };
}

async function filesOf(store: Store, manifest: Manifest, displayName: string): Promise<LocalModelSource> {
  const parts = partsOf(manifest);
  if (parts === undefined) throw await noWeights(store, manifest, displayName);
  const { weights, adapters, projector } = parts;
  const jinja = layersOf(manifest, mediaTypes.jinja).at(-1);
  return {
    kind: 'local',
    key: digestsIn(parts).join(' '),
    weightsPath: await store.locateBlob(weights.digest),
    adapterPaths: await Promise.all(adapters.map(({ digest }) => store.locateBlob(digest))),
    ...(jinja ? { chatTemplate: (await store.readBlob(jinja)).toString('utf8') } : {}),
    ...(projector ? { projectorPath: await store.locateBlob(projector.digest), projectorBytes: projector.size } : {}),
    fileBytes: [weights, ...adapters, ...(projector ? [projector] : [])].reduce((sum, { size }) => sum + size, 0),
  };
}

async function draftOf(store: Store, layer: ManifestLayer | undefined): Promise<StoredDraft | undefined> {
  if (layer === undefined) return undefined;
  const { digest, size } = layer;
  return { weightsPath: await store.locateBlob(digest), fileBytes: size, digest };
}

/** The weights of a model, to use it as a draft model. */
async function weightsAsDraft(store: Store, { manifest }: StoredModel): Promise<StoredDraft | undefined> {
  return draftOf(store, layersOf(manifest, mediaTypes.model)[0]);
}

async function noWeights(store: Store, { config }: Manifest, displayName: string): Promise<HearthError> {
  const remote = decodeRemoteModel(await store.readBlob(config).catch(() => Buffer.alloc(0)));
  if (remote === undefined) return new HearthError('store_damaged', `model ${displayName} has no weights`);
  const message = `model ${displayName} runs on ${remote.host}, which is not a remote of this server. Pull a model with weights, or add a remote with \`hearth remote add\`.`;
  return new HearthError('unsupported', message);
}

function layersOf(manifest: Manifest, ...types: readonly string[]): ManifestLayer[] {
  return manifest.layers.filter(({ mediaType }) => types.includes(mediaType));
}

function readParameters(displayName: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  return readJson(displayName, text) as Record<string, unknown>;
}

function readKeepAlive(displayName: string, parameters: Readonly<Record<string, unknown>>): number | undefined {
  try {
    return keepAliveIn(parameters);
  } catch (error) {
    throw new HearthError('store_damaged', `the parameters of model ${displayName} are invalid: ${messageOf(error)}`);
  }
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

/** Another model of the store, to use it as a draft model. */
export async function findWeightsIn(store: Store, name: string) {
  const stored = await store.find(parseModelName(name));
  return stored && weightsAsDraft(store, stored);
}
