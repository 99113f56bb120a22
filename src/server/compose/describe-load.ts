// What the engines do now.

import type { Snapshot } from '../../base/metrics/create-metrics.ts';
import type { ModelQueue, ResidentModel } from '../../inference/engine/ports.ts';
import type { Inference } from './create-inference.ts';

export function describeLoad({ engine, prefixFiles }: Pick<Inference, 'engine' | 'prefixFiles'>): Snapshot {
  return {
    prefixFiles: prefixFiles?.usage ?? { files: 0, bytes: 0 },
    models: engine.loaded().map(({ name, state, memory: { totalBytes, deviceBytes }, leases, loaded }) => ({
      name,
      state,
      leases,
      context: contextOf(loaded),
      mainBytes: totalBytes - deviceBytes,
      deviceBytes,
    })),
    queues: engine.queue().map(({ name, waiting }) => ({
      name,
      waiting: waiting.length,
      leased: waiting.filter((request) => request.for === 'runner').length,
    })),
  };
}

function contextOf(loaded: ResidentModel['loaded']): Snapshot['models'][number]['context'] {
  if (loaded?.contextTokens === undefined) return undefined;
  return { used: loaded.contextTokens, total: loaded.info.contextLength * loaded.info.parallel };
}

/** Requests in the background wait for as long as it takes. */
export function isAnyoneWaiting(queues: readonly ModelQueue[]): boolean {
  return queues.some(({ waiting }) => waiting.some((request) => request.for === 'model' && !request.background));
}
