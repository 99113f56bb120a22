// Decides the context of a model before it is loaded: its length, how many requests get one, and the types of the KV
// cache. Without a length from the caller, the model or the settings, it is the longest one that fits into the room for
// contexts (docs/adr/0031). A function of the request and the settings, not of the models in memory: the same request
// always has the same plan, so it never reloads a model. A model that fits on the GPUs has its contexts there.

import type { PlannedRequest } from '../local-request.ts';
import { type CacheTypeSettings, chooseCacheTypes } from './choose-cache-types.ts';
import type { ContextPlan, ContextSource } from './context-plan.ts';
import { decideParallel, smallCache, usualGpuParallel, usualParallel } from './decide-parallel.ts';
import { contextBytes, fixedBytes, guessedTrainedLength, type MemorySettings } from './estimate-memory.ts';
import type { GpuRoom } from './place-layers.ts';
import { type GpuContexts, planGpuContexts } from './plan-gpu-contexts.ts';

export interface ContextSettings extends CacheTypeSettings, MemorySettings {
  /** For requests without a length; 0: decided by memory. */
  readonly contextLength: number;
  /** 0: automatic. */
  readonly numParallel: number;
  /** Bytes of main memory for all models in total. */
  readonly memoryBudget: number;
  /** The memory of each GPU, less the reserve. Absent: there is none. */
  readonly gpus?: readonly GpuRoom[];
}

// The share of the budget for the contexts of one model. A GPU of this size serves a team: it has many contexts, and keeps
// prefixes in those that are free. On a smaller one, a second model has its place too.
const cacheShare = 0.25;
const cacheShareOfLargeGpus = 0.5;
const largeGpus = 64 * 2 ** 30;
const shortestLength = 4096;
// An agent sends 10,000 to 20,000 tokens with its first request and cannot work with less. Up to this length, a longer
// context is worth more than more requests in parallel.
const agentLength = 32_768;

export function planContext(request: PlannedRequest, settings: ContextSettings): ContextPlan {
  const cacheTypes = chooseCacheTypes(request, settings);
  const trained = request.shape?.trainedContext;
  const bytesAt = (length: number): number => contextBytes(request, cacheTypes, length);
  const gpus = planGpuContexts(request, { length: shortestLength, cacheTypes }, settings);
  const roomAt = (length: number): number => contextRoom(request, settings, { length, gpus });
  const circumstances = { trained, bytesAt, roomAt, onGpu: gpus !== undefined, settings, request };
  const given = givenLength(request, settings);
  const { lengths, parallel, source } =
    given === undefined ? climb(ladder(trained ?? guessedTrainedLength), circumstances) : keep(given, circumstances);
  const [length = shortestLength] = lengths;
  const bytes = fixedBytes(request, settings, length) + parallel * bytesAt(length);
  return { length, lengths, parallel, source, cacheTypes, bytes };
}

interface Circumstances {
  readonly trained: number | undefined;
  readonly bytesAt: (length: number) => number;
  readonly roomAt: (length: number) => number;
  /** Whether the contexts are on GPUs. */
  readonly onGpu: boolean;
  readonly settings: Pick<ContextSettings, 'numParallel'>;
  readonly request: PlannedRequest;
}

type Choice = Pick<ContextPlan, 'lengths' | 'parallel' | 'source'>;

interface GivenLength {
  readonly length: number;
  readonly source: ContextSource;
}

function givenLength(
  { options: { numCtx }, contextSource = 'request' }: PlannedRequest,
  { contextLength }: ContextSettings,
): GivenLength | undefined {
  if (numCtx !== undefined) return { length: numCtx, source: contextSource };
  return contextLength > 0 ? { length: contextLength, source: 'setting' } : undefined;
}

function keep(given: GivenLength, circumstances: Circumstances): Choice {
  const { trained } = circumstances;
  const isLimited = trained !== undefined && given.length > trained;
  const length = isLimited ? trained : given.length;
  return {
    lengths: [length],
    parallel: parallelAt(length, circumstances),
    source: isLimited ? 'trained' : given.source,
  };
}

/** 4096 and its doubles below the trained length, then the trained length. */
function ladder(trained: number): number[] {
  const lengths: number[] = [];
  for (let length = shortestLength; length < trained; length *= 2) lengths.push(length);
  return [...lengths, trained];
}

/** The longest one that fits. If none does, the shortest one, and the load reports that memory is missing. */
function climb(lengths: readonly number[], circumstances: Circumstances): Choice {
  const { trained, bytesAt, roomAt, onGpu } = circumstances;
  const isFixed = requestedParallel(circumstances) > 0;
  const enough = onGpu ? usualGpuParallel : usualParallel;
  const longestFirst = lengths.toReversed();
  const index = longestFirst.findIndex((length) => {
    const parallel = parallelAt(length, circumstances);
    const isWorthIt = isFixed || length <= agentLength || parallel >= enough;
    return isWorthIt && parallel * bytesAt(length) <= roomAt(length);
  });
  // -1 leaves the last one.
  const chosen = longestFirst.slice(index);
  const [length = shortestLength] = chosen;
  return {
    lengths: chosen,
    parallel: parallelAt(length, circumstances),
    source: length === trained ? 'trained' : 'memory',
  };
}

function parallelAt(length: number, circumstances: Circumstances): number {
  const { bytesAt, roomAt, onGpu } = circumstances;
  const room = { bytesPerSequence: bytesAt(length), room: roomAt(length), onGpu };
  return decideParallel(requestedParallel(circumstances), room);
}

/** 0: automatic. An embedding model evaluates its texts in a context of its own. */
function requestedParallel({ settings, request }: Circumstances): number {
  return request.shape?.embedsOnly ? 1 : settings.numParallel;
}

interface ContextPlace {
  readonly length: number;
  /** Absent: the contexts are in main memory. */
  readonly gpus: GpuContexts | undefined;
}

/** Bytes for the contexts of a model: a share of the budget, and not more than its weights leave. */
function contextRoom(request: PlannedRequest, settings: ContextSettings, { length, gpus }: ContextPlace): number {
  const budget = gpus?.bytes ?? settings.memoryBudget;
  const fixed = gpus?.fixedBytes(length) ?? fixedBytes(request, settings, length);
  const share = gpus !== undefined && gpus.bytes >= largeGpus ? cacheShareOfLargeGpus : cacheShare;
  return Math.min(Math.max(budget * share, smallCache), budget - fixed);
}
