// The models of the server: which there are, which of them are loaded, and requests that change them.

import { computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import type { TagsResponseBody } from '../../src/server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { pollWhileVisible } from './poll.ts';
import { request, requestJson } from './request.ts';

type ListedModel = TagsResponseBody['models'][number];
type LoadedModel = PsResponseBody['models'][number];

export interface ModelEntry {
  readonly name: string;
  readonly sizeBytes: number;
  readonly parameterSize: string;
  readonly quantization: string;
  readonly capabilities: readonly string[];
  readonly state: LoadedModel['state'] | 'unloaded';
  /** Tokens per request: of the loaded model, otherwise the trained length. */
  readonly contextLength?: number;
  /** A time in RFC 3339. */
  readonly modifiedAt: string;
}

export function toModelEntries(listed: readonly ListedModel[], loaded: readonly LoadedModel[]): ModelEntry[] {
  return listed.map(({ name, size, details, capabilities = [], modified_at: modifiedAt }) => {
    const running = loaded.find((model) => model.name === name);
    return {
      name,
      sizeBytes: size,
      parameterSize: details.parameter_size,
      quantization: details.quantization_level,
      capabilities,
      state: running?.state ?? 'unloaded',
      contextLength: running?.context_length ?? details.context_length,
      modifiedAt,
    };
  });
}

const stateIntervalMs = 4000;
const preferenceEntry = 'hearth.model';

export class ModelList {
  readonly #listed = signal<readonly ListedModel[] | undefined>(undefined);
  readonly #loaded = signal<readonly LoadedModel[]>([]);
  /** The listed models, and those that were loaded when the list was read: a deleted model can still be in memory. */
  #knownNames: ReadonlySet<string> = new Set();

  /** undefined: not known yet. */
  readonly entries = computed(() => this.#listed.value && toModelEntries(this.#listed.value, this.#loaded.value));

  /** The models that can answer. */
  readonly forChat = computed(() =>
    (this.entries.value ?? []).filter(
      ({ capabilities }) => capabilities.length === 0 || capabilities.includes('completion'),
    ),
  );

  /**
   * Times in RFC 3339 by model, from the usage log of the server: uses of this key, or all uses without keys and for an
   * administrator.
   */
  readonly lastUse = signal<ReadonlyMap<string, string>>(new Map());

  find(name: string): ModelEntry | undefined {
    return this.entries.value?.find((model) => model.name === name || model.name === `${name}:latest`);
  }

  /** Reads the list. This counts as a request of the user's key: it is for changes, and for views that are opened. */
  async refresh(): Promise<void> {
    const [{ models }, loaded] = await Promise.all([requestJson<TagsResponseBody>('/api/tags'), readLoaded()]);
    this.#knownNames = new Set([...models, ...loaded].map(({ name }) => name));
    this.#listed.value = models;
    this.#noteLoaded(loaded);
  }

  /** Reads which models are loaded, which may be repeated as often as needed. */
  async refreshStates(): Promise<void> {
    const loaded = await readLoaded();
    // Another program may have created a model that it uses.
    if (loaded.some(({ name }) => !this.#knownNames.has(name))) await this.refresh();
    else this.#noteLoaded(loaded);
  }

  /** The same states again must not render anything. */
  #noteLoaded(loaded: readonly LoadedModel[]): void {
    const known = this.#loaded.peek();
    const isKnown = ({ name, state, context_length: length }: LoadedModel, index: number): boolean =>
      known[index]?.name === name && known[index].state === state && known[index].context_length === length;
    if (loaded.length !== known.length || !loaded.every(isKnown)) this.#loaded.value = loaded;
  }

  async refreshLastUse(): Promise<void> {
    const { groups } = await requestJson<UsageResponseBody>('/api/usage?by=model');
    this.lastUse.value = new Map(groups.map(({ name, last_used_at: time }) => [name, time]));
  }

  /** Follows the states as long as the page is visible, and reads the list when the user comes back. */
  watch(): void {
    let isReading = false;
    const onReturn = async (): Promise<void> => {
      if (isReading || document.visibilityState !== 'visible') return;
      isReading = true;
      await this.refresh().catch(() => {});
      isReading = false;
    };
    pollWhileVisible(() => this.refreshStates(), stateIntervalMs);
    // A window gets the focus without becoming visible, and the other way round.
    document.addEventListener('visibilitychange', onReturn);
    window.addEventListener('focus', onReturn);
  }

  show(model: string): Promise<ShowResponseBody> {
    return requestJson<ShowResponseBody>('/api/show', { method: 'POST', body: { model } });
  }

  async copy(source: string, destination: string): Promise<void> {
    await request('/api/copy', { method: 'POST', body: { source, destination } });
    await this.refresh();
  }

  async delete(model: string): Promise<void> {
    await request('/api/delete', { method: 'DELETE', body: { model } });
    await this.refresh();
  }

  /** Resolves when the model is in memory. */
  async load({ name, capabilities }: ModelEntry): Promise<void> {
    // A request without a text loads the model. Embedding models do not generate.
    const path = capabilities.includes('completion') ? '/api/generate' : '/api/embed';
    await request(path, { method: 'POST', body: { model: name } });
    await this.refresh();
  }

  /** Running requests end first. */
  async unload(model: string): Promise<void> {
    await request('/api/generate', { method: 'POST', body: { model, keep_alive: 0 } });
    await this.refresh();
  }

  /** The browser keeps the model for the next conversation. */
  prefer(name: string): void {
    localStorage.setItem(preferenceEntry, name);
  }

  /** The model that was used last, otherwise one that is loaded, otherwise any. */
  preferred(): string {
    const kept = localStorage.getItem(preferenceEntry);
    const models = this.forChat.peek();
    const names = models.map(({ name }) => name);
    if (kept !== null && (names.length === 0 || names.includes(kept))) return kept;
    const loaded = models.find(({ state }) => state !== 'unloaded');
    return loaded?.name ?? names.find((name) => name === 'ember:latest') ?? names[0] ?? '';
  }
}

async function readLoaded(): Promise<readonly LoadedModel[]> {
  return (await requestJson<PsResponseBody>('/api/ps')).models;
}

const ModelsContext = createContext<ModelList | undefined>(undefined);
export const ModelsProvider = ModelsContext.Provider;

/** The models that the entry point of the page provides. */
export function useModels(): ModelList {
  const models = useContext(ModelsContext);
  if (models === undefined) throw new Error('there is no ModelsProvider');
  return models;
}
