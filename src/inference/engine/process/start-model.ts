// Starts a runner and loads a model into it. Where the GPU kills the runner in its first decode, the model is
// loaded once more without it: some driver and library pairs load everything and then cannot compute.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { RunnerProcess } from './runner-process.ts';

export interface StartedModel {
  readonly runner: RunnerProcess;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** Why the GPU is not used though there is one. */
  readonly fallback: string | undefined;
}

export interface StartModelOptions {
  readonly startRunner: () => RunnerProcess;
  readonly command: LoadCommand;
  readonly logger: Logger;
}

export async function startModel({ startRunner, command, logger }: StartModelOptions): Promise<StartedModel> {
  const runner = startRunner();
  try {
    return { runner, info: toInfo(await runner.load(command)), fallback: undefined };
  } catch (error) {
    const gpus = runner.warmingOn ?? [];
    await runner.stop();
    if (!(error instanceof HearthError) || error.code !== 'runner_died' || gpus.length === 0) throw error;
    const fallback = `${gpus.map((gpu) => gpu.description).join(', ')}: ${error.message}`;
    logger.warn('the GPU failed in its first decode; loading the model on the CPU', { reason: fallback });
    return startOnCpu(startRunner, command, fallback);
  }
}

async function startOnCpu(
  startRunner: () => RunnerProcess,
  command: LoadCommand,
  fallback: string,
): Promise<StartedModel> {
  const runner = startRunner();
  try {
    const info = toInfo(await runner.load({ ...command, build: 'cpu', options: { ...command.options, numGpu: 0 } }));
    return { runner, info, fallback };
  } catch (error) {
    await runner.stop();
    throw error;
  }
}

function toInfo({ type: _, ...info }: LoadedEvent): Omit<LoadedEvent, 'type'> {
  return info;
}
