// The settings of the page, which the browser keeps.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { ToolPermissions } from '../conversation/tool-calls.ts';

export interface PageSettings {
  /** The model of new chats; empty: the one that was used last. */
  readonly model: string;
  /** The system prompt of new chats. */
  readonly system: string;
  readonly theme: 'system' | 'light' | 'dark';
  /** The tag of a language; empty: one of those that the browser prefers. */
  readonly language: string;
  /** About how many tokens an answer may have before the page stops it; 0: any number. */
  readonly maxTokens: number;
  readonly showsStatistics: boolean;
  /** Whether the model writes the titles of chats. */
  readonly writesTitles: boolean;
  /** What the user has decided for all calls of tools. Other tools ask. */
  readonly toolPermissions: ToolPermissions;
}

const defaults: PageSettings = {
  model: '',
  system: '',
  theme: 'system',
  language: '',
  maxTokens: 16_384,
  showsStatistics: true,
  writesTitles: true,
  toolPermissions: {},
};
const entry = 'hearth.settings';

export class PageSettingsStore {
  readonly current: ReadonlySignal<PageSettings>;
  readonly #current = signal(defaults);
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage;
    this.#current.value = readSettings(storage.getItem(entry));
    this.current = this.#current;
  }

  change(changes: Partial<PageSettings>): void {
    this.#current.value = { ...this.#current.peek(), ...changes };
    try {
      this.#storage.setItem(entry, JSON.stringify(this.#current.peek()));
    } catch {
      // The storage is full or forbidden. The settings hold until the page is closed.
    }
  }
}

/** Values of another type, such as those of an older version, are left out. */
function readSettings(json: string | null): PageSettings {
  try {
    const kept = Object.entries((JSON.parse(json ?? '{}') ?? {}) as object);
    const isKnown = ([name, value]: [string, unknown]): boolean =>
      Object.hasOwn(defaults, name) && typeof value === typeof defaults[name as keyof PageSettings];
    return { ...defaults, ...Object.fromEntries(kept.filter(isKnown)) };
  } catch {
    return defaults;
  }
}
