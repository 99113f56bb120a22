// The engine as the services know it: residency decides which runner a request goes to, and the number of those
// who wait is bounded.

import type { Clock } from '../kernel/clock.ts';
import { HearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { longestImages } from '../protocol/frames.ts';
import type { EngineBuildName, GenerateCommand, LoadCommand } from '../protocol/messages.ts';
import type { AcquireRequest, Engine, GenerateEvent, GenerateRequest } from './ports.ts';
import { createResidency } from './residency.ts';
import { startRunner } from './runner-process.ts';
import { startModel } from './start-model.ts';

export interface EngineSettings {
  readonly build: EngineBuildName;
  /** Context length for requests that name none; the trained one counts where that is smaller. */
  readonly defaultContextLimit: number;
  readonly numParallel: number;
  readonly flashAttention: boolean | 'auto';
  readonly kvCacheType: LoadCommand['kvCacheType'];
  readonly prefixCacheBytes: number;
  readonly maxLoadedModels: number;
  readonly maxQueue: number;
  /** Milliseconds. */
  readonly keepAlive: number;
  readonly loadTimeout: number;
}

export interface EngineOptions {
  readonly settings: EngineSettings;
  /** The script that a runner executes. */
  readonly runnerScript: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createEngine({ settings, runnerScript, clock, logger }: EngineOptions): Engine {
  const residency = createResidency({
    start: (request) =>
      startModel({
        startRunner: () => startRunner({ script: runnerScript, clock, logger, loadTimeout: settings.loadTimeout }),
        command: toLoadCommand(settings, request),
        logger,
      }),
    maxLoaded: settings.maxLoadedModels,
    defaultKeepAlive: settings.keepAlive,
    clock,
    logger,
  });
  let waiting = 0;

  const enterQueue = (): (() => void) => {
    if (waiting >= settings.maxQueue) {
      // The two blanks are part of the text that clients know.
      throw new HearthError('busy', 'server busy, please try again.  maximum pending requests exceeded');
    }
    waiting++;
    let left = false;
    return () => {
      if (!left) waiting--;
      left = true;
    };
  };

  return {
    async acquire(request, signal) {
      const leaveQueue = enterQueue();
      try {
        const held = await residency.acquire(request, signal);
        return {
          get model() {
            return held.describe();
          },
          // It leaves the queue when the runner takes it up, or with the lease.
          generate: (generation, abort) =>
            onFirst(held.runner.generate(toGenerateCommand(generation), abort), leaveQueue),
          countTokens: held.runner.countTokens,
          release() {
            leaveQueue();
            held.release();
          },
        };
      } catch (error) {
        leaveQueue();
        throw error;
      }
    },
    unload: residency.unload,
    loaded: residency.loaded,
    close: residency.close,
  };
}

async function* onFirst(events: AsyncIterable<GenerateEvent>, action: () => void): AsyncGenerator<GenerateEvent> {
  for await (const event of events) {
    action();
    yield event;
  }
}

function toLoadCommand(settings: EngineSettings, { files, options }: AcquireRequest): LoadCommand {
  const { numCtx, useMmap, ...rest } = options;
  return {
    type: 'load',
    modelPath: files.weightsPath,
    adapterPaths: files.adapterPaths,
    build: settings.build,
    defaultContextLimit: settings.defaultContextLimit,
    parallel: settings.numParallel,
    flashAttention: settings.flashAttention,
    kvCacheType: settings.kvCacheType,
    prefixCacheBytes: settings.prefixCacheBytes,
    ...rest,
    ...(files.projectorPath === undefined ? {} : { projectorPath: files.projectorPath }),
    ...(numCtx === undefined ? {} : { numCtx }),
    ...(useMmap === undefined ? {} : { useMmap }),
  };
}

function toGenerateCommand({
  prompt,
  images = [],
  context,
  options,
  grammar,
  wantContext,
}: GenerateRequest): Omit<GenerateCommand, 'type' | 'id'> {
  const { seed, numKeep, numPredict, stop, ...sampling } = options;
  return {
    prompt,
    context,
    wantContext,
    ...(images.length === 0 ? {} : { images: encodeImages(images) }),
    stop,
    numKeep,
    numPredict,
    sampling: { ...sampling, ...(seed === -1 ? {} : { seed }), ...(grammar === undefined ? {} : { grammar }) },
  };
}

function encodeImages(images: readonly Buffer[]): string[] {
  const encoded = images.map((image) => image.toString('base64'));
  if (encoded.reduce((sum, text) => sum + text.length, 0) <= longestImages) return encoded;
  throw new HearthError('bad_request', 'the images of this request are too large together');
}
