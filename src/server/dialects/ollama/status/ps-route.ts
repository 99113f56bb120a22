// GET /api/ps and GET /api/queue

import type { Clock } from '../../../../base/time/clock.ts';
import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { LoadedEntry } from '../../../services/management/list-loaded.ts';
import { toDetailsBody } from '../models/details-schema.ts';
import { PsBody, QueueBody } from '../responses-schema.ts';
import type { PsResponse, QueueResponse } from './ps-schema.ts';

// For ever, as clients know it: the longest time that 64 bits of nanoseconds hold.
const forever = 2 ** 63 / 1e6;

export function psRoute(listLoaded: () => Promise<readonly LoadedEntry[]>, clock: Clock): Route {
  const toEntry = ({ resident, digest, details }: LoadedEntry): PsResponse['models'][number] => {
    const { name, memory, expiresAt, state, loaded } = resident;
    return {
      name,
      model: name,
      size: memory.totalBytes,
      digest,
      details: toDetailsBody(details),
      expires_at: formatLocalTimestamp(Number.isFinite(expiresAt) ? expiresAt : clock.now() + forever),
      size_vram: memory.deviceBytes,
      state,
      ...(loaded === undefined ? {} : { context_length: loaded.info.contextLength }),
      ...(loaded?.fallback === undefined ? {} : { fallback: loaded.fallback }),
    };
  };
  return {
    method: 'GET',
    path: '/api/ps',
    summary: 'The models in memory',
    response: PsBody,
    handle: async (): Promise<PsResponse> => ({ models: (await listLoaded()).map(toEntry) }),
  };
}

export interface WaitingModel {
  readonly name: string;
  readonly waiting: readonly { readonly id: string; readonly since: number; readonly for: 'model' | 'runner' }[];
}

export function queueRoute(queue: () => readonly WaitingModel[]): Route {
  return {
    method: 'GET',
    path: '/api/queue',
    summary: 'Who waits for which model',
    response: QueueBody,
    handle: async (): Promise<QueueResponse> => ({
      queues: queue().map(({ name, waiting }) => ({
        model: name,
        waiting: waiting.map((one) => ({ ...one, since: formatLocalTimestamp(one.since) })),
      })),
    }),
  };
}
