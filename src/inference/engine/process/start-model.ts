// Starts a runner and loads a model. If the runner dies in its first decode on a GPU, the model is loaded again on the
// CPU: some combinations of driver and backend load a model and then fail to compute.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { ContextPlan } from '../planning/context-plan.ts';
import type { RunnerProcess } from './runner-process.ts';

export interface StartedRunner {
  readonly runner: RunnerProcess;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** Why the model runs on the CPU although there is a GPU. */
  readonly fallback: string | undefined;
}

export interface StartedModel extends StartedRunner {
  readonly plan: ContextPlan;
}

export interface StartModelOptions {
  readonly startRunner: () => RunnerProcess;
  readonly command: LoadCommand;
  readonly logger: Logger;
}

export async function startModel({ startRunner, command, logger }: StartModelOptions): Promise<StartedRunner> {
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
): Promise<StartedRunner> {
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
