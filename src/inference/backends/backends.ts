// The backends of this machine, for the engine and for people: what a load tries, and which devices there are.

import { cpus, freemem, totalmem } from 'node:os';
import { HearthError } from '../../base/errors.ts';
import type { EngineDevice } from '../protocol/engine-description.ts';
import type { EngineBuildName } from '../protocol/messages.ts';
import type { AskEngine, AskedEngine, EngineAnswer } from './ask-engine.ts';
import { fitsVisionCuda, type NvidiaGpu, orderCudaBuilds } from './choose-cuda-build.ts';
import { type BackendAnswer, describeMachine, type MachineDescription } from './describe-machine.ts';
import { readDisplayAdapters } from './display-adapters.ts';
import { thisMachine } from './engine-package.ts';
import { type FoundBackend, findBackends } from './find-backends.ts';
import { type GpuEnvironment, readNvidiaGpus } from './nvidia-gpus.ts';
import {
  type BackendAttempt,
  planBackends,
  planVisionEngines,
  type VisionEngine,
  withVisionEngines,
} from './plan-backends.ts';

interface BackendsOptions {
  readonly build: EngineBuildName;
  /** The folder of backends. */
  readonly folder: string;
  readonly askEngine: AskEngine;
  /** The variables of the driver's program. */
  readonly environment: GpuEnvironment;
  /** Ends the processes that are asked. */
  readonly signal: AbortSignal;
}

export function createBackends({ build, folder, askEngine, environment, signal }: BackendsOptions) {
  let known: Promise<NvidiaGpu[]> | undefined;

  /** Driver and GPUs matter only for the choice between builds, and do not change while the server runs. */
  const gpusForChoice = async (builds: readonly FoundBackend[]): Promise<NvidiaGpu[]> => {
    if (builds.length > 1) known ??= readNvidiaGpus({ environment, signal });
    return (await known) ?? [];
  };
  const find = (): FoundBackend[] => (build === 'cpu' ? [] : findBackends({ folder, machine: thisMachine }));

  const planText = async (): Promise<BackendAttempt[]> => {
    const found = find();
    const builds = found.filter(({ name }) => name.startsWith('cuda'));
    const cudaOrder = orderCudaBuilds(await gpusForChoice(builds));
    return planBackends({ build, found, cudaOrder, machine: thisMachine });
  };
  const planVision = async (): Promise<VisionEngine[]> => {
    const found = find();
    const builds = found.filter(({ engine }) => engine === 'vision');
    const cudaFits = fitsVisionCuda(await gpusForChoice(builds), thisMachine);
    return planVisionEngines({ build, found, cudaFits });
  };

  return {
    /**
     * Which backends a load tries, and for a vision model also the engines that encode images on GPUs. Backends that were
     * installed since the last call are found.
     */
    async plan(needsVision: boolean): Promise<readonly BackendAttempt[]> {
      const attempts = await planText();
      // A user who names a backend does not want another one without notice.
      if (attempts.length === 1 && build !== 'auto' && build !== 'cpu') throw notInstalled(build);
      return needsVision ? withVisionEngines(attempts, await planVision()) : attempts;
    },
    /** The GPUs of a backend that have memory of their own, in its order. None if the backend does not work. */
    async gpus({ libraries, runtime }: BackendAttempt): Promise<readonly EngineDevice[]> {
      // The other backends are part of the engine: the CPU, and Metal, whose memory is main memory.
      if (libraries.length === 0) return [];
      return separateGpus(await askEngine({ libraries, runtime }, signal));
    },
    async describe(): Promise<MachineDescription> {
      const [engines, attempts] = [await planVision(), await planText()];
      const ask = async (name: string, asked: AskedEngine): Promise<BackendAnswer> => ({
        name,
        answer: await askEngine(asked, signal),
      });
      const [nvidia, answers, visionAnswers] = await Promise.all([
        readNvidiaGpus({ environment, signal }),
        Promise.all(
          attempts.map(async ({ name, libraries, runtime, isOwn }) => ({
            ...(await ask(name, { libraries, runtime })),
            isOwn,
          })),
        ),
        Promise.all(
          engines.map(({ name, file, runtime }) => ask(name, { libraries: [], visionEngine: file, runtime })),
        ),
      ]);
      return describeMachine({
        machine: thisMachine,
        build,
        cpu: describeCpu(),
        nvidia,
        adapters: readDisplayAdapters(),
        answers,
        visionAnswers,
      });
    },
  };
}

export type Backends = ReturnType<typeof createBackends>;

/** A driver that does not tell how much memory a GPU has makes all figures useless. */
function separateGpus(answer: EngineAnswer): readonly EngineDevice[] {
  const devices = 'failure' in answer ? [] : answer.devices;
  const gpus = devices.filter(({ isGpu, isUnified }) => isGpu && !isUnified);
  return gpus.every(({ totalBytes }) => totalBytes > 0) ? gpus : [];
}

function notInstalled(build: EngineBuildName): HearthError {
  const step = build === 'metal' ? 'it exists only on Apple silicon' : `run \`hearth backend add ${build}\``;
  return new HearthError('load_failed', `the backend ${build} is not installed: ${step}`);
}

function describeCpu() {
  const all = cpus();
  // Empty where the kernel hides the processors.
  const name = all[0]?.model.trim() || 'CPU';
  return { name, cores: all.length, totalBytes: totalmem(), freeBytes: freemem() };
}
