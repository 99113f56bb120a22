// What users have typed and not sent, for each conversation. Texts survive a reload of the tab, attachments do not: they may
// be larger than what browsers keep.

import { effect, type Signal, signal } from '@preact/signals';
import type { Attachment } from './attachments/attachment.ts';

export interface MessageDraft {
  readonly text: Signal<string>;
  readonly attachments: Signal<readonly Attachment[]>;
}

const entry = 'hearth.drafts';
/** Longer texts are kept until the page is closed. */
const maxStoredCharacters = 100_000;

export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly #drafts = new Map<string, MessageDraft>();
  readonly #stored: Map<string, string>;
  /** That of a temporary chat, which no storage gets. */
  readonly temporary: MessageDraft = { text: signal(''), attachments: signal([]) };

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
    this.#storage = storage;
    this.#stored = readTexts(storage.getItem(entry));
  }

  /** `id` is that of a conversation; empty for a new one. */
  of(id: string): MessageDraft {
    const known = this.#drafts.get(id);
    if (known !== undefined) return known;
    const draft: MessageDraft = { text: signal(this.#stored.get(id) ?? ''), attachments: signal([]) };
    this.#drafts.set(id, draft);
    effect(() => this.#store(id, draft.text.value));
    return draft;
  }

  /** Another user must not see them. */
  clear(): void {
    this.#drafts.clear();
    this.temporary.text.value = '';
    this.temporary.attachments.value = [];
    this.#stored.clear();
    this.#storage.removeItem(entry);
  }

  #store(id: string, text: string): void {
    if ((this.#stored.get(id) ?? '') === text) return;
    if (text === '' || text.length > maxStoredCharacters) this.#stored.delete(id);
    else this.#stored.set(id, text);
    try {
      this.#storage.setItem(entry, JSON.stringify([...this.#stored]));
    } catch {
      // The storage is full. The draft is kept until the page is closed.
    }
  }
}

function readTexts(json: string | null): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(json ?? '[]');
    return new Map(Array.isArray(entries) ? (entries as [string, string][]) : []);
  } catch {
    return new Map();
  }
}
