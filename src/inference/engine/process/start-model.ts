// Starts a runner and loads a model. A backend that does not load, or that kills the runner in its first decode, leads to
// the next one: some combinations of driver and backend load a model and then fail to compute.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { BackendAttempt } from '../../backends/plan-backends.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { ContextPlan } from '../planning/context-plan.ts';
import type { RunnerProcess } from './runner-process.ts';

export interface StartedRunner {
  readonly runner: RunnerProcess;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** The backend that it runs on. */
  readonly backend: string;
  /** Why it does not run on the backends that were tried before. */
  readonly fallback: string | undefined;
}

export interface StartedModel extends StartedRunner {
  readonly plan: ContextPlan;
}

export interface StartModelOptions {
  readonly startRunner: (attempt: BackendAttempt) => RunnerProcess;
  /** Without a backend. */
  readonly command: Omit<LoadCommand, 'build' | 'libraries'>;
  /** The backends to try, in this order; at least one. */
  readonly attempts: readonly BackendAttempt[];
  readonly logger: Logger;
}

export async function startModel({
  startRunner,
  command,
  attempts,
  logger,
}: StartModelOptions): Promise<StartedRunner> {
  const failures: string[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const runner = startRunner(attempt);
    try {
      const info = toInfo(await runner.load(toCommand(command, attempt, failures.length > 0)));
      return { runner, info, backend: attempt.name, fallback: failures.length === 0 ? undefined : failures.join('; ') };
    } catch (error) {
      const failure = backendFailure(error, attempt, runner);
      await runner.stop();
      const next = attempts[index + 1];
      if (failure === undefined || next === undefined) throw error;
      const { summary, reason } = failure;
      failures.push(`${attempt.name}: ${reason}`);
      logger.warn(`${summary}; loading the model with the next backend`, {
        backend: attempt.name,
        next: next.name,
        reason,
      });
    }
  }
  throw new HearthError('internal', 'no backend was tried');
}

interface BackendFailure {
  readonly summary: string;
  readonly reason: string;
}

/** Undefined if the backend is not the reason. */
function backendFailure(
  error: unknown,
  { libraries }: BackendAttempt,
  { opened, warmingOn = [] }: RunnerProcess,
): BackendFailure | undefined {
  if (!(error instanceof HearthError)) return undefined;
  const { code, message } = error;
  const isLoadFailure = code === 'runner_died' || code === 'load_failed';
  if (isLoadFailure && !opened && libraries.length > 0) return { summary: 'the backend did not load', reason: message };
  if (code !== 'runner_died' || warmingOn.length === 0) return undefined;
  const gpus = warmingOn.map((gpu) => gpu.description).join(', ');
  return { summary: 'the GPU failed in its first decode', reason: `${gpus}: ${message}` };
}

function toCommand(
  command: StartModelOptions['command'],
  { build, libraries }: BackendAttempt,
  isFallback: boolean,
): LoadCommand {
  // The default build can contain a GPU backend.
  const options = isFallback && build === 'cpu' ? { ...command.options, numGpu: 0 } : command.options;
  return { ...command, build, options, ...(libraries.length === 0 ? {} : { libraries }) };
}

function toInfo({ type: _, ...info }: LoadedEvent): Omit<LoadedEvent, 'type'> {
  return info;
}
