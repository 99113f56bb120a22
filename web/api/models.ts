// The models of the server, and which of them are loaded.

import { computed, signal } from '@preact/signals';
import type { TagsResponseBody } from '../../src/server/dialects/ollama/models/tags-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { pollWhileVisible } from './poll.ts';
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

/** As the server sent it last. */
let list: readonly ListedModel[] = [];
/** Those in the list, and those that were loaded when it was read: a deleted model can still be in memory. */
let knownNames: ReadonlySet<string> = new Set();

function note(loaded: readonly LoadedModel[]): void {
  const entries = toModelEntries(list, loaded);
  // The same list again must not render anything.
  if (JSON.stringify(entries) !== JSON.stringify(models.value)) models.value = entries;
}

const readLoaded = async (): Promise<readonly LoadedModel[]> => (await requestJson<PsResponseBody>('/api/ps')).models;

/** Reads the list. This counts as a request of the key of the user: it is for changes, and for views that are opened. */
export async function refreshModels(): Promise<void> {
  const [tags, loaded] = await Promise.all([requestJson<TagsResponseBody>('/api/tags'), readLoaded()]);
  list = tags.models;
  knownNames = new Set([...list, ...loaded].map(({ name }) => name));
  note(loaded);
}

/** Reads which models are loaded, which may be repeated as often as needed. */
export async function refreshStates(): Promise<void> {
  const loaded = await readLoaded();
  // Another program may have created a model that it uses.
  if (loaded.some(({ name }) => !knownNames.has(name))) await refreshModels();
  else note(loaded);
}

// Milliseconds.
const stateInterval = 4000;

/** Follows the states as long as the page is visible, and reads the list when the user comes back. Ends with the page. */
export function watchModels(): void {
  let isReading = false;
  const onReturn = async (): Promise<void> => {
    if (isReading || document.visibilityState !== 'visible') return;
    isReading = true;
    await refreshModels().catch(() => {});
    isReading = false;
  };
  pollWhileVisible(refreshStates, stateInterval);
  // A window gets the focus without becoming visible, and the other way round.
  document.addEventListener('visibilitychange', onReturn);
  window.addEventListener('focus', onReturn);
}

const modelEntry = 'hearth.model';

export function rememberModel(name: string): void {
  localStorage.setItem(modelEntry, name);
}

/** The model that was used last, otherwise one that is loaded, otherwise any. */
export function preferredModel(): string {
  const remembered = localStorage.getItem(modelEntry);
  const names = chatModels.peek().map(({ name }) => name);
  if (remembered !== null && (names.length === 0 || names.includes(remembered))) return remembered;
  const loaded = chatModels.peek().find(({ state }) => state !== 'unloaded');
  return loaded?.name ?? names.find((name) => name === 'ember:latest') ?? names[0] ?? '';
}
