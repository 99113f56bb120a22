// The models of the server, and which of them are loaded.

import { computed, signal } from '@preact/signals';
import type { TagsResponseBody } from '../../src/server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { requestJson } from './request.ts';

type ListedModel = TagsResponseBody['models'][number];
type LoadedModel = PsResponseBody['models'][number];

export interface ModelEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly parameterSize: string;
  readonly quantization: string;
  readonly capabilities: readonly string[];
  readonly state: LoadedModel['state'] | 'unloaded';
  /** Tokens per request: of the loaded model, otherwise the trained length. */
  readonly contextLength?: number;
}

export function toModelEntries(listed: readonly ListedModel[], loaded: readonly LoadedModel[]): ModelEntry[] {
  return listed.map(({ name, size, details, capabilities = [] }) => {
    const running = loaded.find((model) => model.name === name);
    const contextLength = running?.context_length ?? details.context_length;
    return {
      name,
      size,
      parameterSize: details.parameter_size,
      quantization: details.quantization_level,
      capabilities,
      state: running?.state ?? 'unloaded',
      ...(contextLength === undefined ? {} : { contextLength }),
    };
  });
}

/** undefined: not known yet. */
export const models = signal<readonly ModelEntry[] | undefined>(undefined);

/** The models that can answer. */
export const chatModels = computed(() =>
  (models.value ?? []).filter(({ capabilities }) => capabilities.length === 0 || capabilities.includes('completion')),
);

export function findModel(name: string): ModelEntry | undefined {
  return models.value?.find((model) => model.name === name || model.name === `${name}:latest`);
}

export async function refreshModels(): Promise<void> {
  const [tags, ps] = await Promise.all([
    requestJson<TagsResponseBody>('/api/tags'),
    requestJson<PsResponseBody>('/api/ps'),
  ]);
  const entries = toModelEntries(tags.models, ps.models);
  // The same list again must not render anything.
  if (JSON.stringify(entries) !== JSON.stringify(models.value)) models.value = entries;
}

// Milliseconds.
const refreshInterval = 4000;

/** Refreshes the list as long as the page is visible. Ends with the page. */
export function watchModels(): void {
  const refresh = (): void => {
    if (document.visibilityState === 'visible') refreshModels().catch(() => {});
  };
  refresh();
  setInterval(refresh, refreshInterval);
  document.addEventListener('visibilitychange', refresh);
}
