// Loads a speech model in a process of its own.

import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Logger } from '../../base/logger.ts';
import type { ChildSettings } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { EngineProgram, StartedProgram } from '../../inference/engine/hosted/engine-program.ts';
import type { HostedModelSource } from '../../inference/model/model-source.ts';
import { RunningSpeech } from './speech-process.ts';

interface StartOptions {
  readonly script: string;
  readonly childSettings: ChildSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

// The network computes with at most so many threads before they wait for each other more than they compute.
const maxThreads = 8;
// Tokens of a window.
const contextLength = 448;
// Buffers for half a minute of audio are about as large as the weights of small models, and do not grow with large ones.
const bufferBytes = 256 * 2 ** 20;
const bufferShare = 1.3;

export async function estimateSpeech({ checkpoint }: HostedModelSource) {
  const { size } = await stat(checkpoint);
  return { bytes: Math.ceil(size * bufferShare) + bufferBytes };
}

export async function startSpeech(
  { source, estimated }: Parameters<EngineProgram['start']>[0],
  options: StartOptions,
  signal: AbortSignal,
): Promise<StartedProgram> {
  const threads = Math.min(availableParallelism(), maxThreads);
  const order = { modelPath: source.checkpoint, threads };
  const process = new RunningSpeech({ ...options, order, bytes: estimated.bytes });
  const stop = (): void => void process.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await process.loaded;
    return { process, contextLength, parallel: 1 };
  } catch (error) {
    await process.stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
