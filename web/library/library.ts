// Presets and prompts of the user, which the server keeps: GET and PUT /api/library.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { LibraryResponseBody } from '../../src/features/chats/library-schema.ts';
import { ApiError, requestJson } from '../api/request.ts';
import { newId } from '../conversation/chat-document.ts';

export type Preset = LibraryResponseBody['presets'][number];
export type Prompt = LibraryResponseBody['prompts'][number];

const path = '/api/library';
/** Others may write between our reading and our writing. */
const maxAttempts = 5;

export class Library {
  /** undefined: not read yet. */
  readonly content: ReadonlySignal<LibraryResponseBody | undefined>;
  readonly #content = signal<LibraryResponseBody | undefined>(undefined);
  /** False: the server keeps nothing, and the page has it until it is closed. */
  #isStored = true;

  readonly #others: Pick<BroadcastChannel, 'postMessage' | 'onmessage'>;

  /** `others` are the other tabs of this browser. */
  constructor(others: Pick<BroadcastChannel, 'postMessage' | 'onmessage'>) {
    this.content = this.#content;
    this.#others = others;
    others.onmessage = () => {
      // What was never shown is read when it is.
      if (this.#content.peek() !== undefined) this.load().catch(() => {});
    };
  }

  async load(): Promise<LibraryResponseBody> {
    try {
      if (this.#isStored) this.#content.value = await requestJson<LibraryResponseBody>(path);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.#isStored = false;
    }
    this.#content.value ??= { presets: [], prompts: [], revision: 0 };
    return this.#content.value;
  }

  /** Another user must not see it. */
  clear(): void {
    this.#content.value = undefined;
  }

  savePreset(preset: Omit<Preset, 'id'> & Partial<Pick<Preset, 'id'>>): Promise<void> {
    const entry = { ...preset, id: preset.id ?? newId() };
    return this.#change((content) => ({ ...content, presets: putEntry(content.presets, entry) }));
  }

  savePrompt(prompt: Omit<Prompt, 'id'> & Partial<Pick<Prompt, 'id'>>): Promise<void> {
    const entry = { ...prompt, id: prompt.id ?? newId() };
    return this.#change((content) => ({ ...content, prompts: putEntry(content.prompts, entry) }));
  }

  remove(removed: string): Promise<void> {
    const isLeft = ({ id }: { readonly id: string }): boolean => id !== removed;
    return this.#change(({ presets, prompts, revision }) => ({
      presets: presets.filter(isLeft),
      prompts: prompts.filter(isLeft),
      revision,
    }));
  }

  /** `change` is applied to what the server has. */
  async #change(change: (content: LibraryResponseBody) => LibraryResponseBody): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const next = change(await this.load());
      try {
        this.#content.value = { ...next, revision: await this.#store(next) };
        this.#others.postMessage('changed');
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409 || attempt === maxAttempts) throw error;
      }
    }
  }

  async #store(content: LibraryResponseBody): Promise<number> {
    if (!this.#isStored) return content.revision + 1;
    const options = { method: 'PUT', body: content } as const;
    return (await requestJson<{ readonly revision: number }>(path, options)).revision;
  }
}

function putEntry<Entry extends { readonly id: string }>(entries: readonly Entry[], entry: Entry): Entry[] {
  const index = entries.findIndex(({ id }) => id === entry.id);
  return index === -1 ? [...entries, entry] : entries.with(index, entry);
}

/** Prompts whose names contain what the user typed after the slash: first those whose names begin with it. */
export function findPrompts(prompts: readonly Prompt[], typed: string): Prompt[] {
  const wanted = typed.trim().toLowerCase();
  const nameOf = ({ name }: Prompt): string => name.toLowerCase();
  const begins = (prompt: Prompt): boolean => nameOf(prompt).startsWith(wanted);
  return prompts
    .filter((prompt) => nameOf(prompt).includes(wanted))
    .sort((a, b) => Number(begins(b)) - Number(begins(a)) || nameOf(a).localeCompare(nameOf(b)));
}

/** The first place in a prompt that the user fills in, such as `{{text}}`; its end if there is none. */
export function findPlaceholder(text: string): readonly [start: number, end: number] {
  const start = text.indexOf('{{');
  const end = start === -1 ? -1 : text.indexOf('}}', start);
  return end === -1 ? [text.length, text.length] : [start, end + 2];
}
