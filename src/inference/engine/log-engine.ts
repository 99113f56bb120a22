// The line of the log that says what models run on: the engine, the devices with their backends, and the defaults. A GPU
// that no backend serves gets a line with the next step.

import type { Logger } from '../../base/logger.ts';
import type { MachineDescription, MachineDevice } from '../backends/describe-machine.ts';
import type { EngineSettings } from './create-engine.ts';
import { automaticMemoryBudget } from './planning/estimate-memory.ts';

interface LogEngineOptions {
  readonly settings: EngineSettings;
  readonly listDevices: () => Promise<MachineDescription>;
  readonly logger: Logger;
  /** The server stops. */
  readonly signal: AbortSignal;
}

const unknown: MachineDescription = { engine: 'unknown', devices: [], backends: [] };

export async function logEngine({ settings, listDevices, logger, signal }: LogEngineOptions): Promise<void> {
  // The first load reports why.
  const { engine, devices, backends } = await listDevices().catch(() => unknown);
  if (signal.aborted) return;
  logger.info('engine', {
    build: engine,
    devices: devices.map(summarize).join(', '),
    memory: `${inGibibytes(settings.memoryBudget || automaticMemoryBudget())} GiB`,
    context: settings.contextLength || 'automatic',
    parallel: settings.numParallel || 'automatic',
  });
  for (const { name, failure } of backends) {
    if (failure !== undefined) logger.warn('a backend does not work', { backend: name, reason: failure });
  }
  for (const { name, nextStep } of devices) {
    if (nextStep !== undefined) logger.warn('no backend serves this GPU', { gpu: name, next: nextStep });
  }
}

function summarize({ name, backend = 'no backend', totalBytes }: MachineDevice): string {
  const memory = totalBytes > 0 ? `, ${inGibibytes(totalBytes)} GiB` : '';
  return `${name} (${backend}${memory})`;
}

function inGibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
