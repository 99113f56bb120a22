// Connects residency, which decides which runner serves a request, with the runner processes.

import type { Logger } from '../../base/logger.ts';
import { createLruCache } from '../../base/lru-cache.ts';
import { type ChildSettings, withLibraryFolders } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { DerivedFile } from '../../models/derived-file.ts';
import { resolveOptions, type SplitMode } from '../../models/options.ts';
import type { Backends } from '../backends/backends.ts';
import { type BackendAttempt, filesOfAttempt, runtimeOfAttempt } from '../backends/plan-backends.ts';
import type { LoadFit } from '../model/load-fit.ts';
import type { EngineBuildName, PrefixDiskSettings } from '../protocol/messages.ts';
import type { BlockEvents } from './block-events.ts';
import { createLease, requireRunner } from './create-lease.ts';
import { createDeviceMemory, type ListGpus, type OwnUse } from './device-memory.ts';
import { toGenerateCommand } from './generate-command.ts';
import { type EnginePrograms, planHosted, withPrograms } from './hosted/engine-program.ts';
import { isHosted, type LocalRequest, requireLocal } from './local-request.ts';
import type { ContextPlan } from './planning/context-plan.ts';
import { addDevices, subtractDevices } from './planning/device-bytes.ts';
import { toEffectiveOptions } from './planning/effective-options.ts';
import { estimateLoad, type LoadEstimate } from './planning/estimate-load.ts';
import { automaticMemoryBudget, measuredDevices } from './planning/estimate-memory.ts';
import { guessShape, judgeLoad, type UnseenFile } from './planning/judge-load.ts';
import { type ContextSettings, planContext } from './planning/plan-context.ts';
import { planPlacement } from './planning/plan-placement.ts';
import type { AcquireRequest, Engine, EngineObserver, ResidentModel } from './ports.ts';
import type { PrefixFiles } from './prefix-files.ts';
import { startRunner } from './process/runner-process.ts';
import { type StartModelOptions, startModel } from './process/start-model.ts';
import { createResidency, type Residency } from './residency/residency.ts';
import type { LoadIdentity } from './residency/to-caller.ts';

export interface EngineSettings extends Omit<ContextSettings, 'memoryBudget' | 'gpus'> {
  readonly build: EngineBuildName;
  /** For requests without a mode; absent: automatic. */
  readonly splitMode?: SplitMode;
  /** For requests without shares. */
  readonly tensorSplit?: string;
  /** Bytes to leave free on each GPU. */
  readonly gpuOverhead?: number;
  readonly prefixCacheBytes: number;
  /** Milliseconds that a request may generate before it yields its slot to another client. Absent: it never does. */
  readonly slotTime?: number;
  /** False: no request speculates. */
  readonly speculation?: boolean;
  /** False: the number of threads does not depend on other programs. */
  readonly adaptThreads?: boolean;
  readonly maxLoadedModels: number;
  readonly maxQueue: number;
  /** Bytes of main memory for all models in total; 0: the machine's memory less a reserve. */
  readonly memoryBudget?: number;
  readonly keepAliveMs: number;
  readonly loadTimeout: number;
  /** Milliseconds after which a loaded runner that does not respond is replaced. Absent: a minute. */
  readonly responseTimeout?: number;
}

export interface EngineOptions {
  readonly settings: EngineSettings;
  /** Absent: prefixes are not written to disk. */
  readonly prefixFiles?: PrefixFiles;
  /** Absent: nobody wants to know which tokens the prefix caches have. */
  readonly blockEvents?: BlockEvents | undefined;
  /** The script that a runner executes. */
  readonly runnerScript: string;
  readonly childSettings?: ChildSettings;
  /** Makes the files of a model that do not exist yet. Absent: all exist. */
  readonly prepareFiles?: (model: string, files: readonly DerivedFile[]) => Promise<void>;
  /** The backends that a load tries. Absent: only the default build. */
  readonly planBackends?: Backends['plan'];
  /** Absent: nothing is known about GPUs. */
  readonly listGpus?: ListGpus;
  /** Engines of other projects. */
  readonly programs?: EnginePrograms;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer?: EngineObserver;
}

const maxIdentities = 256;

/** Whether a model would fit, before its file is here. */
export type JudgeFile = (file: UnseenFile) => Promise<LoadFit>;

interface LocalEngine extends Engine {
  readonly judgeFile: JudgeFile;
  /** Holds the process of another engine. */
  readonly hold: Residency['acquire'];
}

export function createEngine({
  settings,
  prefixFiles,
  blockEvents,
  runnerScript,
  childSettings = {},
  prepareFiles = async () => {},
  planBackends = async () => [{ name: settings.build, build: settings.build, libraries: [] }],
  listGpus = async () => [],
  programs = {},
  clock,
  logger,
  observer,
}: EngineOptions): LocalEngine {
  const memoryBudget = settings.memoryBudget || automaticMemoryBudget();
  const { speculation = true } = settings;
  const toLocal = (request: AcquireRequest): LocalRequest => {
    const { draft, ...rest } = withSplit(requireLocal(request), settings);
    return speculation && draft !== undefined ? { ...rest, draft } : rest;
  };
  const { gpuOverhead = 0 } = settings;
  const gpuMemory = createDeviceMemory({
    planBackends: () => planBackends(true),
    listGpus,
    reserve: gpuOverhead,
    ownUse: () => ownUseOf(residency.loaded()),
    clock,
  });
  const placementSettings = () => ({ ...settings, projectorOnGpu: gpuMemory.encodesImages });
  const planFor = (request: LocalRequest): ContextPlan =>
    planContext(request, { ...placementSettings(), memoryBudget, gpus: gpuMemory.sizes });
  const estimate = async (request: LocalRequest): Promise<LoadEstimate> => {
    await gpuMemory.refresh();
    const { budgets } = gpuMemory;
    const taken = addDevices(...residency.loaded().map(({ memory }) => measuredDevices(memory)));
    return estimateLoad(request, planFor(request), placementSettings(), {
      free: subtractDevices(budgets, taken),
      budgets,
    });
  };
  /** The backends after the first one are asked when they are tried. */
  const placeOn = async (attempt: BackendAttempt, request: LocalRequest, estimated: LoadEstimate) => {
    if (attempt.name === gpuMemory.backend) return estimated.placement;
    const gpus = await listGpus(attempt);
    const rooms = gpus.map(({ name, freeBytes }) => ({ name, bytes: Math.max(freeBytes - gpuOverhead, 0) }));
    const projectorOnGpu = attempt.visionEngine !== undefined;
    return planPlacement(request, planFor(request), { ...settings, projectorOnGpu }, rooms);
  };
  // Remembered, so that requests to a loaded model plan nothing.
  const identities = createLruCache<LoadIdentity>(maxIdentities);
  const identify = (request: LocalRequest, hasGpu: boolean | undefined): LoadIdentity => {
    const { source, options, draft, contextSource } = request;
    const known = [source.key, options, draft?.weightsPath, contextSource, hasGpu, gpuMemory.sizes];
    return identities.getOrCreate(JSON.stringify(known), () => {
      const plan = planFor(request);
      const effective = toEffectiveOptions(options, { plan, hasGpu: settings.build === 'cpu' ? false : hasGpu });
      const kind = JSON.stringify([plan.cacheTypes, options.vocabOnly]);
      const fingerprint = JSON.stringify([effective, draft?.weightsPath]);
      return { fingerprint, needs: { kind, context: plan.length } };
    });
  };
  const listRooms = async () => {
    await gpuMemory.refresh();
    return gpuMemory.sizes;
  };
  const runners = {
    async start(request: LocalRequest, signal: AbortSignal, estimated: LoadEstimate) {
      await prepareFiles(request.name, request.source.derived ?? []);
      const plan = planFor(request);
      const onCpu = planContext(request, { ...settings, memoryBudget });
      const prefixDisk = await preparePrefixDisk(settings, prefixFiles, request);
      const prefixes = { prefixDisk, announcesBlocks: blockEvents !== undefined };
      const started = await startModel({
        startRunner(attempt) {
          const blocks = blockEvents?.open();
          const runner = startRunner({
            script: runnerScript,
            files: [...filesOf(request), ...filesOfAttempt(attempt)],
            folders: prefixDisk ? [prefixDisk.folder] : [],
            usesGpu: filesOfAttempt(attempt).length > 0,
            childSettings: withLibraryFolders(childSettings, runtimeOfAttempt(attempt)),
            clock,
            logger,
            loadTimeout: settings.loadTimeout,
            onStored: () => void prefixFiles?.trim(),
            onBlocks: (change) => blocks?.apply(change),
            responseTimeout: settings.responseTimeout,
          });
          if (blocks !== undefined) void runner.exited.then(() => blocks.close());
          if (signal.aborted) void runner.stop();
          else signal.addEventListener('abort', () => void runner.stop(), { once: true });
          return runner;
        },
        command: { ...toLoadCommand({ settings, plan, request }), ...prefixes },
        cpuContext: { contextLengths: onCpu.lengths, parallel: onCpu.parallel },
        attempts: await planBackends(usesVisionEngine(request)),
        place: (attempt) => placeOn(attempt, request, estimated),
        logger,
      });
      return { ...started, plan };
    },
    estimate,
    identify,
  };
  const residency = createResidency({
    ...withPrograms(runners, programs, listRooms),
    deviceBudgets: () => gpuMemory.budgets,
    maxLoaded: settings.maxLoadedModels,
    memoryBudget,
    maxQueue: settings.maxQueue,
    prefixCacheBytes: settings.prefixCacheBytes,
    defaultKeepAliveMs: settings.keepAliveMs,
    clock,
    logger,
    observer,
  });

  return {
    async acquire(request, signal) {
      const local = toLocal(request);
      // The plan of its context depends on the GPUs.
      await gpuMemory.ready();
      const acquire = async (asked: LocalRequest, abort: AbortSignal) =>
        requireRunner(await residency.acquire(asked, abort));
      return createLease({
        held: await acquire(local, signal),
        signal,
        reacquire: (abort) => acquire({ ...local, readmitted: true }, abort),
        toCommand: (generation) => toGenerateCommand(generation, request),
      });
    },
    hold: residency.acquire,
    planContext: (request) => (isHosted(request) ? planHosted(request.source) : planFor(toLocal(request))),
    async judgeLoad(request) {
      const local = toLocal(request);
      const { fileBytes: bytes } = local.source;
      const file = { bytes, layers: local.shape?.weights?.layers.length };
      return judgeLoad(file, await estimate(local), { memoryBudget });
    },
    async judgeFile(file) {
      return judgeLoad(file, await estimate(toLocal(unseenRequest(file))), { memoryBudget });
    },
    unload: residency.unload,
    loaded: residency.loaded,
    queue: residency.queue,
    close: residency.close,
  };
}

function unseenRequest(file: UnseenFile): AcquireRequest {
  const source = { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: file.bytes } as const;
  return { name: '', source, options: resolveOptions().load, shape: guessShape(file) };
}

/** Whether images may be encoded on a GPU. */
function usesVisionEngine({ source, options }: LocalRequest): boolean {
  return source.projectorPath !== undefined && options.numGpu !== 0;
}

function withSplit(request: LocalRequest, settings: EngineSettings): LocalRequest {
  const { splitMode = settings.splitMode, tensorSplit = settings.tensorSplit } = request.options;
  return { ...request, options: { ...request.options, splitMode, tensorSplit } };
}

function ownUseOf(models: readonly ResidentModel[]): OwnUse {
  const isChanging = models.some(({ state }) => state === 'loading' || state === 'draining');
  return { devices: addDevices(...models.map(({ memory }) => measuredDevices(memory))), isChanging };
}

async function preparePrefixDisk(
  { prefixCacheBytes }: EngineSettings,
  prefixFiles: PrefixFiles | undefined,
  { source }: LocalRequest,
): Promise<PrefixDiskSettings | undefined> {
  if (prefixFiles === undefined || prefixCacheBytes === 0) return undefined;
  const folder = await prefixFiles.prepare(source.key);
  return folder === undefined ? undefined : { folder, weights: source.key, maxBytes: prefixFiles.maxBytes };
}

function filesOf({ source, draft }: LocalRequest): string[] {
  const { weightsPath, adapterPaths, projectorPath } = source;
  return [weightsPath, ...adapterPaths, projectorPath, draft?.weightsPath].filter((path) => path !== undefined);
}

interface LoadInputs {
  readonly settings: EngineSettings;
  readonly plan: ContextPlan;
  readonly request: LocalRequest;
}

function toLoadCommand({ settings, plan, request }: LoadInputs): StartModelOptions['command'] {
  const { source, options, draft } = request;
  return {
    type: 'load',
    modelPath: source.weightsPath,
    adapterPaths: source.adapterPaths,
    projectorPath: source.projectorPath,
    draftPath: draft?.weightsPath,
    options,
    contextLengths: plan.lengths,
    parallel: plan.parallel,
    flashAttention: settings.flashAttention,
    cacheTypes: plan.cacheTypes,
    prefixCacheBytes: settings.prefixCacheBytes,
    slotTime: settings.slotTime,
    speculation: settings.speculation ?? true,
    adaptThreads: settings.adaptThreads ?? true,
  };
}
