// Loads a model: file check, backend, weights, context, threads, and a first small decode, which fails if the machine
// cannot compute with the model. A vision model also gets an engine that encodes images. An embedding model gets no context
// for generation.

import { join } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { checkAdapter, runsAlone, whyUnusable } from '../../../formats/gguf/engine-limits.ts';
import { layerWeights } from '../../../formats/gguf/layer-weights.ts';
import { type Gguf, readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import { findKnownProjector } from '../../../models/known-projectors.ts';
import type { DeviceInfo, LoadCommand, LoadedEvent, MemoryUse } from '../../protocol/messages.ts';
import type { DraftModel } from '../draft/draft-model.ts';
import { openDraftModel } from '../draft/open-draft-model.ts';
import { openPredictionHead, usesPredictionHead } from '../draft/open-prediction-head.ts';
import type { PredictionHead } from '../draft/prediction-head.ts';
import type { EmbedContext } from '../embed/embed-context.ts';
import { onlyEmbeds } from '../embed/embed-params.ts';
import { type ModelSources, openEmbedContext } from '../embed/open-embed-context.ts';
import { toPrefixKey } from '../generate/kv-cache/disk/prefix-key.ts';
import { type Batch, createBatch } from '../llama/batch.ts';
import type { VisionApi } from '../llama/bindings/b10257.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ContextPointer, ModelPointer } from '../llama/bindings/pointers.ts';
import { createContext, type EngineContext } from '../llama/context.ts';
import { findBackend, findVisionBackend } from '../llama/find-backend.ts';
import { findGpus, toDeviceInfo } from '../llama/list-devices.ts';
import { memoryKindOf } from '../llama/memory-kind.ts';
import { openBackend, openVisionBackend } from '../llama/open-backend.ts';
import { openProjector } from '../llama/open-projector.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { loadWeights, type WeightsSource } from '../llama/weights-source.ts';
import {
  type AdapterSwitch,
  createAdapterSwitch,
  createContextFactory,
  loadAdapters,
} from '../load/context-factory.ts';
import { decideShapes } from '../load/decide-shapes.ts';
import {
  batchCapacity,
  type ContextShape,
  type LoadPlan,
  toContextParams,
  toLoadPlan,
  toModelParams,
} from '../load/load-params.ts';
import { shareOfGpus } from '../load/load-settings.ts';
import { createMemoryMeter } from '../load/memory-meter.ts';
import { withOverrides } from '../load/tensor-overrides.ts';
import { openWeightsFile, type WeightsFile } from '../load/weights-file.ts';
import { openRanker, type Ranker } from '../rank/open-ranker.ts';
import { createThreads } from '../threads/threads.ts';
import { createImageEncoder, type ImageEncoder } from '../vision/image-encoder.ts';

export interface NativeModel {
  readonly api: LlamaApi;
  readonly vocabulary: Vocabulary;
  /** Absent in an embedding model, or if only the vocabulary was loaded. */
  readonly context: EngineContext | undefined;
  /** Absent if only the vocabulary was loaded. */
  readonly embedContext: EmbedContext | undefined;
  /** Absent if the model is not a reranker, or if only the vocabulary was loaded. */
  readonly ranker: Ranker | undefined;
  readonly batch: Batch;
  /** Absent if the model has no vision. */
  readonly imageEncoder: ImageEncoder | undefined;
  /** Drafts tokens. Absent if the model generates without one. */
  readonly draftModel: DraftModel | undefined;
  /** The prediction head of the model, which drafts tokens too. Absent: it has none, or does without. */
  readonly head: PredictionHead | undefined;
  /** The number of adapters. */
  readonly adapters: number;
  /** Applies adapters to the next passes of `context`. */
  readonly useAdapters: AdapterSwitch;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** Bytes of the weights. */
  readonly modelBytes: number;
  /** Identifies what determines the contents of the KV cache besides the tokens. */
  readonly prefixKey: string;
  /** Whether a GPU with memory of its own computes. Copies from and to it are slow. */
  readonly hasDeviceMemory: boolean;
}

const numaDistribute = 1;

export interface LoadObserver {
  /** The backends are loaded; the model follows. */
  readonly onOpened: () => void;
  readonly onWarming: (devices: readonly DeviceInfo[]) => void;
  /** Called while loading, and later when the embedding context changes. */
  readonly onMemory: (memory: MemoryUse) => void;
}

export async function loadModel(command: LoadCommand, observer: LoadObserver): Promise<NativeModel> {
  const { onOpened, onWarming, onMemory } = observer;
  const plan = toLoadPlan(command);
  const { settings, adapterPaths } = plan;
  const { main, draft, projector } = await openFiles(plan);
  const { header: file } = main;
  const { api, visionApi, name } = openEngine(plan);
  onOpened();
  if (settings.numa) api.numaInit(numaDistribute);

  const allGpus = findGpus(api);
  const meter = createMemoryMeter({ capture: api.captureLog, onChange: onMemory, gpus: allGpus });
  const loadsHead = usesPredictionHead(plan, file);
  const model = meter.measure('weights', () => openModel(api, main.source, { settings, file, loadsHead }));
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const embedsOnly = onlyEmbeds(file.metadata);
  const isSingle = embedsOnly || runsAlone(file.metadata);
  const shapes = decideShapes(api, model, { ...plan, ...(isSingle ? { parallel: 1 } : {}), loadsHead });
  const [{ threads, parallel, contextLength }] = shapes;
  const gpus = settings.gpuLayers === 0 ? [] : allGpus.map(toDeviceInfo);
  const info = {
    engine: name,
    contextLength,
    trainedContext: Math.max(0, api.modelTrainedContext(model)),
    parallel,
    batch: settings.numBatch,
    threads,
    gpus: allGpus.length,
  };
  const batch = createBatch(batchCapacity(settings, shapes[0]));
  const { prefixDisk: { weights = '' } = {} } = plan;
  const prefixKeyFor = (length: number): string =>
    toPrefixKey({ ...plan, engine: name, weights, extendedContext: isExtended(file, length) });
  const loaded = {
    api,
    vocabulary,
    batch,
    modelBytes: api.modelBytes(model),
    prefixKey: prefixKeyFor(contextLength),
    // GPUs of Apple compute in main memory.
    hasDeviceMemory: gpus.length > 0 && process.platform !== 'darwin',
    adapters: adapterPaths.length,
    useAdapters: () => {},
    info,
  };
  const absent = {
    context: undefined,
    embedContext: undefined,
    ranker: undefined,
    imageEncoder: undefined,
    draftModel: undefined,
    head: undefined,
  };
  if (settings.vocabOnly) return { ...loaded, ...absent };

  const adapters = meter.measure('adapters', () => loadAdapters(api, model, adapterPaths));
  const newContext = createContextFactory(api, model, adapters);
  const share = shareOfGpus(settings, { layers: layerWeights(file)?.layers.length, gpus: gpus.length });
  const ownThreads = createThreads(api, {
    limit: threads,
    adapts: plan.adaptThreads ?? true,
    onGpu: share,
    watchScript: join(import.meta.dirname, '../threads/watch-thread.js'),
  });
  const sources = { api, model, plan, file, newContext, threads: ownThreads, meter };
  const embedContext = openEmbedContext(sources);
  const ranker = openRanker(sources, { vocabulary, contextLength });
  if (embedsOnly) {
    onWarming(gpus);
    (ranker?.context ?? embedContext).begin([[0]]).advance(1);
    return { ...loaded, ...absent, embedContext, ranker };
  }
  const { pointer, shape } = openLongestContext(sources, shapes);
  if (api.memory(pointer) === null) throw new HearthError('load_failed', 'the model cannot generate text');
  const memory = memoryKindOf(api, model, pointer);
  const onDevice = loaded.hasDeviceMemory && share === 'all';
  const contextOptions = { vocabularySize: vocabulary.size, memory, threads: ownThreads, onDevice };
  const context = createContext(api, pointer, contextOptions);
  const target = { pointer, vocabulary, memory, shape };
  const drafting = { ...sources, vocabulary, target };
  const draftModel = draft && openDraftModel(draft.source, drafting);
  const head = loadsHead ? openPredictionHead(drafting) : undefined;
  onWarming(gpus);
  warmUp(context, batch);
  const openEncoder = (vision: VisionApi) =>
    openImageEncoder(vision, { ...plan, weights: main.source, projector }, context, threads);
  const imageEncoder = visionApi && meter.measure('projector', () => openEncoder(visionApi), visionApi.captureMtmdLog);
  return {
    ...loaded,
    info: { ...info, contextLength: shape.contextLength },
    prefixKey: prefixKeyFor(shape.contextLength),
    context,
    useAdapters: createAdapterSwitch(api, pointer, adapters),
    embedContext,
    ranker,
    imageEncoder,
    draftModel,
    head,
  };
}

function openModel(
  api: LlamaApi,
  source: WeightsSource,
  { settings, file, loadsHead }: Pick<LoadPlan, 'settings'> & { readonly file: Gguf; readonly loadsHead: boolean },
): ModelPointer {
  const params = toModelParams(api.modelDefaultParams(), settings, { metadata: file.metadata, loadsHead });
  const model = loadWeights(api, source, withOverrides(params, settings, api));
  if (model === null) throw new HearthError('load_failed', 'llama.cpp could not load the model');
  return model;
}

/** The first of these shapes that there is enough memory for. Memory of a GPU is known only by trying. */
function openLongestContext(
  { api, plan, newContext, meter }: ModelSources,
  shapes: readonly ContextShape[],
): { readonly pointer: ContextPointer; readonly shape: ContextShape } {
  for (const shape of shapes) {
    const params = toContextParams(api.contextDefaultParams(), plan, shape);
    const pointer = meter.measure('context', () => newContext(params));
    if (pointer !== undefined) return { pointer, shape };
  }
  const length = shapes.at(-1)?.contextLength;
  throw new HearthError('load_failed', `llama.cpp could not create a context of ${length} tokens`);
}

function openEngine({ build, libraries, visionEngine, projectorPath }: LoadPlan): {
  readonly api: LlamaApi;
  readonly visionApi: VisionApi | undefined;
  readonly name: string;
} {
  const backend = findBackend(build);
  // First: the other engine's functions, which have the same names, become visible to libraries that are loaded later.
  const visionApi =
    projectorPath === undefined ? undefined : openVisionBackend(findVisionBackend(visionEngine), visionEngine);
  const api = openBackend(backend, libraries);
  return { api, visionApi, name: `llama.cpp ${api.version()} (${backend.packageName})` };
}

function openImageEncoder(
  api: VisionApi,
  plan: LoadPlan & { readonly weights: WeightsSource; readonly projector: Gguf | undefined },
  context: EngineContext,
  threads: number,
): ImageEncoder {
  const { projectorPath: path = '', weights, projector, build, visionEngine } = plan;
  const { numBatch, mainGpu, gpuLayers } = plan.settings;
  // The default engine has a GPU backend on Apple silicon.
  const onCpu = visionEngine === undefined && (build === 'cpu' || gpuLayers === 0);
  const gpus = onCpu ? [] : findGpus(api);
  const device = (gpus[mainGpu] ?? gpus[0])?.name;
  const hasPlainBars = findKnownProjector(projector?.metadata.get('general.name'))?.hasPlainBars ?? false;
  const opened = openProjector(api, { path, weights, threads, device, numBatch, hasPlainBars });
  return createImageEncoder(opened, (rows) => context.decodeEmbeddings(rows, numBatch));
}

async function openFiles({ modelPath, adapterPaths, projectorPath, draftPath }: LoadPlan): Promise<{
  readonly main: WeightsFile;
  readonly draft: WeightsFile | undefined;
  readonly projector: Gguf | undefined;
}> {
  const main = await openWeightsFile(modelPath);
  const { metadata } = main.header;
  const reason = whyUnusable(metadata);
  if (reason !== undefined) throw new HearthError('load_failed', reason);
  const draft = draftPath === undefined ? undefined : await openWeightsFile(draftPath);
  for (const path of adapterPaths) {
    const { tensors } = await readHeader(path);
    checkAdapter(
      metadata,
      tensors.map(({ name }) => name),
    );
  }
  const projector = projectorPath === undefined ? undefined : await readHeader(projectorPath);
  return { main, draft, projector };
}

async function readHeader(path: string): Promise<Gguf> {
  try {
    return await readGgufFile(path, { maxArray: 0 });
  } catch (error) {
    throw new HearthError('load_failed', messageOf(error), { cause: error });
  }
}

function isExtended({ metadata }: Gguf, contextLength: number): boolean {
  const original = metadata.get(`${metadata.get('general.architecture')}.rope.scaling.original_context_length`);
  return typeof original === 'number' && contextLength > original;
}

function warmUp(context: EngineContext, batch: Batch): void {
  batch.clear();
  batch.add({ token: 0, position: 0, sequence: 0, logits: true });
  if (context.decode(batch) !== 'done')
    throw new HearthError('load_failed', 'the context has no room for a single token');
  context.logits(0);
  context.forget(0, 0);
}
