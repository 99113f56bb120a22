// Loads a model: file check, library, weights, context, threads, and a first small decode that shows whether the
// machine can really compute with it. A model with a projector gets the library that can read pictures.

import { readGgufFile } from '../gguf/read-gguf.ts';
import { HearthError, messageOf } from '../kernel/errors.ts';
import type { DeviceInfo, LoadCommand, LoadedEvent } from '../protocol/messages.ts';
import { createEyes, type Eyes } from './eyes.ts';
import { buildName } from './llama/b10257.ts';
import { type Batch, createBatch } from './llama/batch.ts';
import { createContext, type EngineContext } from './llama/context.ts';
import { findLibrary, findPictureLibrary } from './llama/find-library.ts';
import type { LlamaApi } from './llama/llama-api.ts';
import type { MtmdApi } from './llama/mtmd-api.ts';
import { openLibrary, openPictureLibrary } from './llama/open-library.ts';
import { openProjector, type ProjectorOptions } from './llama/open-projector.ts';
import type { AdapterPointer, ContextPointer, ModelPointer } from './llama/pointers.ts';
import { createVocabulary, type Vocabulary } from './llama/vocabulary.ts';
import {
  batchCapacity,
  type ContextShape,
  cacheBytesPerToken,
  decideContextLength,
  decideParallel,
  toContextParams,
  toModelParams,
} from './load-params.ts';
import { decideThreads } from './threads.ts';

export interface LoadedModel {
  readonly api: LlamaApi;
  readonly vocabulary: Vocabulary;
  /** Absent in a model that was loaded for its vocabulary alone. */
  readonly context: EngineContext | undefined;
  readonly batch: Batch;
  /** For models that can look at pictures. */
  readonly eyes: Eyes | undefined;
  /** Whether a sequence can be cut or shared at any token; recurrent models cannot. */
  readonly sharesPrefixes: boolean;
  readonly info: Omit<LoadedEvent, 'type'>;
}

const numaDistribute = 1;

export async function loadModel(
  command: LoadCommand,
  onWarming: (devices: readonly DeviceInfo[]) => void,
): Promise<LoadedModel> {
  await checkFiles(command);
  const { api, pictureApi, name } = openEngine(command);
  if (command.numa) api.numaInit(numaDistribute);

  const model = api.modelLoad(command.modelPath, toModelParams(api.modelDefaultParams(), command));
  if (model === null) throw new HearthError('load_failed', 'the engine could not load the model');
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const shape = decideShape(api, model, command);
  const info = {
    engine: name,
    contextLength: shape.contextLength,
    trainedContext: Math.max(0, api.modelTrainedContext(model)),
    parallel: shape.parallel,
    batch: command.numBatch,
    threads: shape.threads,
  };
  const batch = createBatch(batchCapacity(command, shape));
  const sharesPrefixes = !api.modelIsRecurrent(model) && !api.modelIsHybrid(model);
  const loaded = { api, vocabulary, batch, sharesPrefixes, info };
  if (command.vocabOnly) return { ...loaded, context: undefined, eyes: undefined };

  const pointer = api.contextNew(model, toContextParams(api.contextDefaultParams(), command, shape));
  if (pointer === null)
    throw new HearthError('load_failed', `the engine could not set up a context of ${shape.contextLength} tokens`);
  attachThreads(api, pointer, shape.threads);
  attachAdapters(api, model, pointer, command.adapterPaths);
  const context = createContext(api, pointer, vocabulary.size);
  const gpus = command.numGpu === 0 ? [] : findGpus(api);
  onWarming(gpus);
  warmUp(context, batch);
  const sight = { model, context: pointer, threads: shape.threads, useGpu: gpus.length > 0 };
  return { ...loaded, context, eyes: pictureApi && openEyes(pictureApi, command, sight) };
}

interface OpenEngine {
  readonly api: LlamaApi;
  readonly pictureApi: (LlamaApi & MtmdApi) | undefined;
  readonly name: string;
}

function openEngine({ build, projectorPath }: LoadCommand): OpenEngine {
  if (projectorPath === undefined) {
    const library = findLibrary(build);
    const api = openLibrary(library);
    return { api, pictureApi: undefined, name: `llama.cpp ${api.version()} (${library.packageName})` };
  }
  const library = findPictureLibrary(build);
  const api = openPictureLibrary(library);
  return { api, pictureApi: api, name: `llama.cpp ${buildName} (${library.packageName})` };
}

function openEyes(
  api: LlamaApi & MtmdApi,
  { projectorPath = '', numBatch }: LoadCommand,
  sight: Omit<ProjectorOptions, 'path' | 'numBatch'>,
): Eyes {
  return createEyes(openProjector(api, { ...sight, path: projectorPath, numBatch }));
}

async function checkFiles({ modelPath, adapterPaths, projectorPath }: LoadCommand): Promise<void> {
  for (const path of [modelPath, ...adapterPaths, ...(projectorPath === undefined ? [] : [projectorPath])]) {
    try {
      await readGgufFile(path, { longestArray: 0 });
    } catch (error) {
      throw new HearthError('load_failed', messageOf(error), { cause: error });
    }
  }
}

function decideShape(api: LlamaApi, model: ModelPointer, command: LoadCommand): ContextShape {
  const contextLength = decideContextLength(command, api.modelTrainedContext(model));
  const threads = decideThreads(command.numThread);
  // A vocabulary has no layers; asking for their shape ends the process.
  if (command.vocabOnly) return { contextLength, parallel: 1, threads };
  const heads = Math.max(1, api.modelHeads(model));
  const bytesPerToken = cacheBytesPerToken({
    layers: api.modelLayers(model),
    kvWidth: (api.modelEmbeddingWidth(model) / heads) * api.modelKvHeads(model),
    kvCacheType: command.kvCacheType,
  });
  return { contextLength, parallel: decideParallel(command.parallel, contextLength * bytesPerToken), threads };
}

// A pool that lives as long as the context: made and torn down for every token, threads cost small models half
// of their speed. `poll` lets them spin for a moment between two decodes before they sleep.
function attachThreads(api: LlamaApi, context: ContextPointer, threads: number): void {
  const pool = api.threadpoolNew({
    cpumask: new Array<boolean>(512).fill(false),
    n_threads: threads,
    prio: 0,
    poll: 50,
    strict_cpu: false,
    paused: false,
  });
  if (pool !== null) api.attachThreadpool(context, pool, pool);
}

function attachAdapters(api: LlamaApi, model: ModelPointer, context: ContextPointer, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const adapters = paths.map((path): AdapterPointer => {
    const adapter = api.adapterLoad(model, path);
    if (adapter === null) throw new HearthError('load_failed', 'the adapter does not fit the model');
    return adapter;
  });
  const scales = new Float32Array(adapters.length).fill(1);
  if (api.adaptersSet(context, BigUint64Array.from(adapters), adapters.length, scales) !== 0) {
    throw new HearthError('load_failed', 'the engine did not accept the adapter');
  }
}

const gpuTypes: ReadonlySet<number> = new Set([1, 2]);

function findGpus(api: LlamaApi): DeviceInfo[] {
  return Array.from({ length: api.deviceCount() }, (_, index) => api.deviceGet(index))
    .filter((device) => gpuTypes.has(api.deviceType(device)))
    .map((device) => {
      const free: [number] = [0];
      const total: [number] = [0];
      api.deviceMemory(device, free, total);
      return {
        name: api.deviceName(device),
        description: api.deviceDescription(device),
        freeBytes: free[0],
        totalBytes: total[0],
      };
    });
}

function warmUp(context: EngineContext, batch: Batch): void {
  batch.clear();
  batch.add({ token: 0, position: 0, sequence: 0, logits: true });
  if (context.decode(batch) !== 'done')
    throw new HearthError('load_failed', 'the engine has no room for a single token');
  context.logits(0);
  context.forget(0, 0);
}
