// Starts a runner and loads a model. A backend that does not load, or that kills the runner in its first decode, leads to
// the next one: some combinations of driver and backend load a model and then fail to compute. If the memory of the GPUs
// does not suffice, the backend gets a second chance with fewer layers.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { type BackendAttempt, describeAttempt, filesOfAttempt } from '../../backends/plan-backends.ts';
import type { LoadCommand, LoadedEvent } from '../../protocol/messages.ts';
import type { ContextPlan } from '../planning/context-plan.ts';
import { type LoadPlacement, reducePlacement } from '../planning/plan-placement.ts';
import type { LayerCount } from '../ports.ts';
import type { HostedProcess, SpeechProcess } from './model-process.ts';
import type { RunnerProcess } from './runner-process.ts';

interface StartedRunner {
  readonly runner: RunnerProcess;
  readonly info: Omit<LoadedEvent, 'type'>;
  /** The backend that the model runs on. */
  readonly backend: string;
  /** Why the backends that were tried before did not work. */
  readonly fallback: string | undefined;
  /** Absent if llama.cpp decided. */
  readonly layers: LayerCount | undefined;
  /** Why fewer layers are on GPUs than planned. */
  readonly reduced: string | undefined;
}

export interface StartedModel extends Omit<StartedRunner, 'runner'> {
  readonly runner: RunnerProcess | HostedProcess | SpeechProcess;
  readonly plan: ContextPlan;
}

export interface StartModelOptions {
  readonly startRunner: (attempt: BackendAttempt) => RunnerProcess;
  /** The load command; each attempt adds its backend. */
  readonly command: Omit<LoadCommand, 'build' | 'libraries' | 'visionEngine'>;
  /** The context without GPUs. The planned one can be too long if they fail: they may have more memory than the machine. */
  readonly cpuContext?: Pick<LoadCommand, 'contextLengths' | 'parallel'>;
  /** The backends to try, in this order; at least one. */
  readonly attempts: readonly BackendAttempt[];
  /** Decides which layers go to the GPUs of a backend. Absent or undefined: llama.cpp decides. */
  readonly place?: (attempt: BackendAttempt) => Promise<LoadPlacement | undefined>;
  readonly logger: Logger;
}

export async function startModel(options: StartModelOptions): Promise<StartedRunner> {
  const { attempts, place = async () => undefined, logger } = options;
  const failures: string[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const isFallback = failures.length > 0;
    const outcome = await loadOn(attempt, await place(attempt), { ...options, isFallback });
    if ('runner' in outcome) return { ...outcome, fallback: isFallback ? failures.join('; ') : undefined };
    const { error, failure } = outcome;
    const next = attempts[index + 1];
    if (failure === undefined || next === undefined) throw error;
    const { summary, reason } = failure;
    failures.push(`${describeAttempt(attempt)}: ${reason}`);
    logger.warn(`${summary}; loading the model with the next backend`, {
      backend: describeAttempt(attempt),
      next: describeAttempt(next),
      reason,
    });
  }
  throw new HearthError('internal', 'no backend was tried');
}

interface FailedAttempt {
  readonly error: unknown;
  /** Undefined if the backend is not the reason. */
  readonly failure: BackendFailure | undefined;
}

async function loadOn(
  attempt: BackendAttempt,
  planned: LoadPlacement | undefined,
  options: StartModelOptions & { readonly isFallback: boolean },
): Promise<Omit<StartedRunner, 'fallback'> | FailedAttempt> {
  const { startRunner, logger } = options;
  let placement = planned;
  let reduced: string | undefined;
  for (;;) {
    const runner = startRunner(attempt);
    try {
      const info = toInfo(await runner.load(toCommand(attempt, placement, options)));
      const layers = placement && {
        onGpus: placement.count,
        total: placement.total,
        ...(placement.expertLayers > 0 ? { expertsInMemory: placement.expertLayers } : {}),
      };
      return { runner, info, backend: attempt.name, layers, reduced };
    } catch (error) {
      // The runner's log is complete when it has ended.
      await runner.stop();
      const memoryFailure = isLoadFailure(error) ? runner.memoryFailure : undefined;
      const failure = backendFailure(error, attempt, runner, options);
      const fewer = placement && reducePlacement(placement);
      if (memoryFailure === undefined || fewer === undefined || reduced !== undefined) return { error, failure };
      reduced = `there was no memory for ${placement?.count} layers: ${memoryFailure}`;
      logger.warn('the memory of the GPUs did not suffice; loading the model with fewer layers on them', {
        backend: attempt.name,
        layers: fewer.count,
        reason: memoryFailure,
      });
      placement = fewer;
    }
  }
}

function isLoadFailure(error: unknown): error is HearthError {
  return error instanceof HearthError && (error.code === 'runner_died' || error.code === 'load_failed');
}

interface BackendFailure {
  readonly summary: string;
  readonly reason: string;
}

function backendFailure(
  error: unknown,
  attempt: BackendAttempt,
  { opened, warmingOn = [], memoryFailure }: RunnerProcess,
  { command }: StartModelOptions,
): BackendFailure | undefined {
  if (!isLoadFailure(error)) return undefined;
  const { code, message } = error;
  // A request for a number of layers is not fulfilled by another backend.
  if (memoryFailure !== undefined && command.options.numGpu < 0)
    return { summary: 'the memory of the GPUs did not suffice', reason: memoryFailure };
  if (!opened && filesOfAttempt(attempt).length > 0) return { summary: 'the backend did not load', reason: message };
  if (code !== 'runner_died' || warmingOn.length === 0) return undefined;
  const gpus = warmingOn.map((gpu) => gpu.description).join(', ');
  return { summary: 'the GPU failed in its first decode', reason: `${gpus}: ${message}` };
}

function toCommand(
  { build, libraries, visionEngine }: BackendAttempt,
  placement: LoadPlacement | undefined,
  { command, cpuContext, isFallback }: StartModelOptions & { readonly isFallback: boolean },
): LoadCommand {
  const isOnCpu = isFallback && build === 'cpu';
  return {
    ...command,
    ...(isOnCpu ? cpuContext : {}),
    build,
    // The default build can contain a GPU backend.
    options: { ...command.options, ...placement?.options, ...(isOnCpu ? { numGpu: 0 } : {}) },
    ...(placement ? { contextLengths: placement.lengths } : {}),
    libraries: libraries.length === 0 ? undefined : libraries,
    // A GPU without room for a layer has no room for a projector.
    visionEngine: visionEngine === undefined || placement?.count === 0 ? undefined : visionEngine.file,
  };
}

function toInfo({ type: _, ...info }: LoadedEvent): Omit<LoadedEvent, 'type'> {
  return info;
}
