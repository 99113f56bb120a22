// GET /api/ps

import type { Clock } from '../../../../base/time/clock.ts';
import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { LoadedEntry } from '../../../services/management/list-loaded.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { toContextBody } from '../models/to-context-body.ts';
import { toDetailsBody } from '../models/to-details-body.ts';
import { PsResponseBody } from './ps-schema.ts';

// Ollama's "forever" is the longest duration that fits into 64 bits of nanoseconds.
const foreverMs = 2 ** 63 / 1e6;

export function psRoute(listLoaded: () => Promise<readonly LoadedEntry[]>, clock: Clock): Route {
  const toEntry = ({
    name,
    sharedWith,
    aliases,
    resident,
    digest,
    details,
    modifiedAt,
    context,
    remote,
  }: LoadedEntry): PsResponseBody['models'][number] => {
    const { memory, expiresAt, state, loaded } = resident;
    // The setting for keep_alive may be longer than any valid timestamp.
    const expires = Math.min(expiresAt, clock.now() + foreverMs);
    return {
      name,
      model: name,
      remote_model: remote?.model,
      remote_host: remote?.host,
      size: memory.totalBytes,
      shared_with: sharedWith,
      aliases: aliases && [...aliases],
      digest,
      details: toDetailsBody(details),
      modified_at: formatLocalTimestamp(modifiedAt),
      expires_at: formatLocalTimestamp(expires),
      pinned: state !== 'draining' && !Number.isFinite(expiresAt) ? true : undefined,
      size_vram: memory.deviceBytes,
      size_prefix_cache: loaded?.prefixBytes,
      state,
      progress: resident.step,
      ...(context === undefined ? {} : { context_length: context.length, context: toContextBody(context) }),
      backend: loaded?.backend,
      fallback: loaded?.fallback,
      ...toGpu(resident),
    };
  };
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: '/api/ps',
    summary: 'List loaded models',
    response: PsResponseBody,
    polled: true,
    handle: async (): Promise<PsResponseBody> => ({ models: (await listLoaded()).map(toEntry) }),
  };
}

function toGpu({ memory, loaded }: LoadedEntry['resident']): Pick<PsResponseBody['models'][number], 'gpu'> {
  const { devices = [] } = memory;
  const { layers, reduced } = loaded ?? {};
  if (devices.length === 0 && reduced === undefined) return {};
  return {
    gpu: {
      devices: devices.map(({ name, bytes }) => ({ name, size_vram: bytes })),
      layers: layers?.onGpus,
      total_layers: layers?.total,
      expert_layers_in_memory: layers?.expertsInMemory,
      reduced,
    },
  };
}
