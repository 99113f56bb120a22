// Estimates the memory that vLLM takes. On a GPU that is what it is told to take, whatever the model; without one, the weights
// and the KV cache.

import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { readCheckpoint } from '../../inference/engine/hosted/read-checkpoint.ts';
import type { GpuRoom } from '../../inference/engine/planning/place-layers.ts';
import type { MemoryFigures } from '../../inference/engine/residency/residency-state.ts';
import type { HostedModelSource } from '../../inference/model/model-source.ts';
import type { EngineParameters } from '../../models/engine-parameters.ts';
import { cacheBytes } from './plan-command.ts';

type Variables = Readonly<Record<string, string | undefined>>;

// Python, PyTorch and several processes: a guess, which was enough for the one model that was measured.
const programBytes = 2.5 * 2 ** 30;
// The default of vLLM.
const defaultShare = 0.9;

export async function estimateVllm(
  { checkpoint, parameters }: HostedModelSource,
  gpus: readonly GpuRoom[],
  environment: Variables,
): Promise<MemoryFigures> {
  if (gpus.length > 0) return { bytes: programBytes, devices: deviceBytes(parameters, gpus) };
  const weightBytes = await sizeOfWeights({ checkpoint, parameters }, environment);
  return { bytes: programBytes + (weightBytes ?? 0) + cacheBytes(environment) };
}

/** The main memory of a process that sleeps: its weights are copied there. Undefined if their size is unknown. */
export async function estimateSleep(source: WeightsSource, environment: Variables): Promise<number | undefined> {
  const weightBytes = await sizeOfWeights(source, environment);
  return weightBytes && programBytes + weightBytes;
}

type WeightsSource = Pick<HostedModelSource, 'checkpoint' | 'parameters'>;

async function sizeOfWeights(source: WeightsSource, environment: Variables): Promise<number | undefined> {
  const { checkpoint, parameters } = source;
  const folder = isAbsolute(checkpoint) ? checkpoint : await findInCache(checkpoint, environment);
  const { weightBytes } = (folder === undefined ? undefined : await readCheckpoint(folder)) ?? {};
  // Most checkpoints have two bytes per value.
  const isWide = parameters['dtype'] === 'float32' || parameters['dtype'] === 'float';
  return weightBytes && weightBytes * (isWide ? 2 : 1);
}

/** vLLM uses the first GPUs. Those of other machines do not count here. */
function deviceBytes(parameters: EngineParameters, gpus: readonly GpuRoom[]): Map<string, number> {
  const sizes = ['tensor_parallel_size', 'pipeline_parallel_size', 'data_parallel_size'];
  const count = sizes.reduce((product, name) => product * Number(parameters[name] ?? 1), 1);
  const share = Number(parameters['gpu_memory_utilization'] ?? defaultShare);
  return new Map(gpus.slice(0, count).map(({ name, bytes }) => [name, Math.floor(bytes * share)]));
}

/** The folder of a checkpoint that was downloaded before. */
async function findInCache(name: string, environment: Variables): Promise<string | undefined> {
  const home =
    environment['HF_HOME'] ?? join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'huggingface');
  const cache = environment['HF_HUB_CACHE'] ?? join(home, 'hub');
  const snapshots = join(cache, `models--${name.replaceAll('/', '--')}`, 'snapshots');
  const [latest] = await readdir(snapshots).catch(() => []);
  return latest === undefined ? undefined : join(snapshots, latest);
}
