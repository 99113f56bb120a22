// The port to engines of other projects: programs that serve one model over HTTP on this machine. Their processes are in
// memory by the same rules as runners, and inference/remote asks them.

import { HearthError } from '../../../base/errors.ts';
import type { ProgramName } from '../../../models/engine-parameters.ts';
import type { HostedModelSource } from '../../model/model-source.ts';
import { type HostedRequest, isHosted, type LocalRequest, type ResidentRequest } from '../local-request.ts';
import type { ContextPlan } from '../planning/context-plan.ts';
import type { GpuRoom } from '../planning/place-layers.ts';
import type { HostedProcess, SpeechProcess } from '../process/model-process.ts';
import type { StartedModel } from '../process/start-model.ts';
import type { ResidencyOptions } from '../residency/residency.ts';
import type { MemoryFigures } from '../residency/residency-state.ts';

export interface StartedProgram<Process = HostedProcess | SpeechProcess> {
  readonly process: Process;
  readonly contextLength: number;
  /** Requests that it computes at the same time. */
  readonly parallel: number;
}

interface ProgramOrder {
  /** The model's name, for messages. */
  readonly name: string;
  readonly source: HostedModelSource;
  /** What the load takes, as estimated. */
  readonly estimated: MemoryFigures;
  /** Gets what the program does while it loads, such as "loading weights 3 of 8". */
  readonly report: (step: string) => void;
}

export interface EngineProgram {
  estimate(source: HostedModelSource, gpus: readonly GpuRoom[]): Promise<MemoryFigures>;
  /** Resolves when the model can answer; rejects with `load_failed` or `runner_died`. */
  start(order: ProgramOrder, signal: AbortSignal): Promise<StartedProgram>;
}

export type EnginePrograms = Readonly<Partial<Record<ProgramName, EngineProgram>>>;

/** What residency needs to know about loads. */
type Loads<Request> = {
  readonly start: (
    request: Request,
    ...rest: Parameters<ResidencyOptions['start']> extends [unknown, ...infer Rest] ? Rest : never
  ) => Promise<StartedModel>;
  readonly estimate: (request: Request) => ReturnType<ResidencyOptions['estimate']>;
  readonly identify: (
    request: Request,
    hasGpu: boolean | undefined,
  ) => ReturnType<NonNullable<ResidencyOptions['identify']>>;
};

/** Adds the models of other engines to those of runners. `listGpus`: the sizes of the GPUs. */
export function withPrograms(
  local: Loads<LocalRequest>,
  programs: EnginePrograms,
  listGpus: () => Promise<readonly GpuRoom[]>,
): Loads<ResidentRequest> {
  const programOf = ({ name, source: { engine } }: HostedRequest): EngineProgram => {
    const program = programs[engine];
    if (program === undefined) throw new HearthError('unsupported', `model "${name}" needs the engine ${engine}`);
    return program;
  };
  return {
    async start(request, signal, estimated, report) {
      if (!isHosted(request)) return local.start(request, signal, estimated, report);
      const { name, source } = request;
      const order = { name, source, estimated, report };
      return toStarted(source, await programOf(request).start(order, signal));
    },
    async estimate(request) {
      if (!isHosted(request)) return local.estimate(request);
      return programOf(request).estimate(request.source, await listGpus());
    },
    identify: (request, hasGpu) =>
      isHosted(request) ? { fingerprint: JSON.stringify(request.source.parameters) } : local.identify(request, hasGpu),
  };
}

// A program may not tell its context length. Requests are not shortened here then, and the program decides.
const unknownContext = 2 ** 30;

export function planHosted({ contextLength = unknownContext }: Pick<HostedModelSource, 'contextLength'>): ContextPlan {
  const cacheTypes = { keys: 'f16', values: 'f16' } as const;
  return { length: contextLength, lengths: [contextLength], source: 'trained', parallel: 1, cacheTypes, bytes: 0 };
}

function toStarted({ engine }: HostedModelSource, { process, contextLength, parallel }: StartedProgram): StartedModel {
  return {
    runner: process,
    info: { engine, contextLength, trainedContext: contextLength, parallel, batch: 0, threads: 0 },
    plan: planHosted({ contextLength }),
    backend: engine,
    fallback: undefined,
    layers: undefined,
    reduced: undefined,
  };
}
