// The engine and the programs that work on model files, each in processes of its own.

import { dirname, join } from 'node:path';
import { childEnvironment } from '../../base/config/child-environment.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics/create-metrics.ts';
import type { ChildSettings } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import { serverFeatures } from '../../features/server-features.ts';
import { createAskEngine } from '../../inference/backends/ask-engine.ts';
import { createBackends } from '../../inference/backends/backends.ts';
import { createEngine, type EngineSettings, type JudgeFile } from '../../inference/engine/create-engine.ts';
import type { EnginePrograms } from '../../inference/engine/hosted/engine-program.ts';
import { logEngine } from '../../inference/engine/log-engine.ts';
import { toCacheTypes } from '../../inference/engine/planning/choose-cache-types.ts';
import type { Engine } from '../../inference/engine/ports.ts';
import { createPrefixFiles, type PrefixFiles } from '../../inference/engine/prefix-files.ts';
import { createQuantizeFile, type QuantizeFile } from '../../inference/engine/quantize-file.ts';
import type { Residency } from '../../inference/engine/residency/residency.ts';
import type { Store } from '../../models/store/store.ts';
import type { Settings } from '../../settings/setting-table.ts';
import type { EngineParts, OpenBlockEvents, ServerFeature } from '../server-feature.ts';
import { createListDevices, type ListDevices } from '../services/management/list-devices.ts';
import { createPrepareFiles } from '../services/models/prepare-files.ts';
import type { PackageFiles } from './package-files.ts';

type AudioDecoder = ReturnType<NonNullable<ServerFeature['openAudioDecoder']>>;

export interface Inference {
  readonly engine: Engine;
  /** Holds the process of another engine. */
  readonly hold: Residency['acquire'];
  readonly judgeFile: JudgeFile;
  /** Absent if evaluated prompts are not written to disk. */
  readonly prefixFiles: PrefixFiles | undefined;
  /** Absent if nobody is told which tokens the prefix caches have. */
  readonly blockEvents: OpenBlockEvents | undefined;
  readonly quantizeFile: QuantizeFile;
  /** Empty without a sandbox. */
  readonly sandbox: Pick<ChildSettings, 'launcher'>;
  readonly childSettings: ChildSettings;
  readonly listDevices: ListDevices;
  /** Decodes recordings of chats. */
  readonly decodeAudio: AudioDecoder;
  /** Logs what models run on. */
  log(): Promise<void>;
}

interface InferenceOptions {
  readonly settings: Settings;
  readonly files: PackageFiles;
  /** Replaces the runner in tests. */
  readonly runnerScript: string | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The server stops. */
  readonly signal: AbortSignal;
}

const defaultMaxLoaded = 3;

export function createInference(options: InferenceOptions): Inference {
  const { settings, store, files, runnerScript, clock, logger, metrics, signal } = options;
  const { launcher, runner, quantizer, describer } = files;
  // The launcher exists only in the build; tests pass scripts of their own.
  const sandbox = settings.sandbox && runnerScript === undefined ? { launcher } : {};
  const childSettings = { environment: childEnvironment(processEnvironment), ...sandbox };
  const engineSettings = toEngineSettings(settings);
  const prefixFiles = openPrefixFiles(options);
  const backends = createBackends({
    build: settings.backend,
    folder: settings.backends,
    askEngine: createAskEngine({ script: describer, childSettings, clock }),
    environment: { ...childEnvironment(processEnvironment), PATH: processEnvironment['PATH'] },
    signal,
  });
  const listDevices = createListDevices({ describe: backends.describe, clock });
  const engineParts = { settings, childSettings, scriptOf: files.scriptOf, clock, logger };
  const blockEvents = openBlockEvents(engineParts);
  const engine = createEngine({
    settings: engineSettings,
    prefixFiles,
    blockEvents,
    runnerScript: runnerScript ?? runner,
    childSettings,
    prepareFiles: createPrepareFiles(store, logger),
    planBackends: backends.plan,
    listGpus: backends.gpus,
    programs: openPrograms(engineParts),
    clock,
    logger,
    observer: metrics,
  });
  return {
    prefixFiles,
    blockEvents,
    engine,
    hold: engine.hold,
    judgeFile: engine.judgeFile,
    quantizeFile: createQuantizeFile({ script: quantizer, childSettings }),
    sandbox,
    childSettings,
    listDevices,
    decodeAudio: openAudioDecoder(engineParts),
    log: () => logEngine({ settings: engineSettings, listDevices, logger, signal }),
  };
}

function openAudioDecoder(parts: EngineParts): AudioDecoder {
  const [decode] = serverFeatures.flatMap(({ openAudioDecoder: open }) => (open === undefined ? [] : [open(parts)]));
  return decode ?? (async () => Promise.reject(new HearthError('unsupported', 'this server does not decode audio')));
}

/** The engines that features add. */
function openPrograms(parts: EngineParts): EnginePrograms {
  return Object.assign({}, ...serverFeatures.map(({ openEngines }) => openEngines?.(parts) ?? {}));
}

function openBlockEvents(parts: EngineParts): OpenBlockEvents | undefined {
  return serverFeatures.map((feature) => feature.openBlockEvents?.(parts)).find((events) => events !== undefined);
}

function openPrefixFiles({ settings, clock, logger }: InferenceOptions): PrefixFiles | undefined {
  const { cache, cacheSize: maxBytes, models } = settings;
  if (cache === 'off' || maxBytes === 0) return undefined;
  const folder = cache === 'auto' ? join(dirname(models), 'cache') : cache.folder;
  return createPrefixFiles({ folder, maxBytes, clock, logger });
}

function toEngineSettings(settings: Settings): EngineSettings {
  return {
    build: settings.backend,
    gpuOverhead: settings.gpuOverhead,
    splitMode: settings.splitMode === 'auto' ? undefined : settings.splitMode,
    tensorSplit: settings.tensorSplit || undefined,
    contextLength: settings.contextLength,
    numParallel: settings.numParallel,
    flashAttention: settings.flashAttention,
    cacheTypes: toCacheTypes(settings),
    prefixCacheBytes: settings.prefixCache,
    speculation: settings.speculation,
    adaptThreads: settings.adaptThreads,
    slotTime: Number.isFinite(settings.slotTime) ? settings.slotTime : undefined,
    maxLoadedModels: settings.maxLoadedModels || defaultMaxLoaded,
    maxQueue: settings.maxQueue,
    memoryBudget: settings.memoryBudget,
    keepAliveMs: settings.keepAlive,
    loadTimeout: settings.loadTimeout,
  };
}
