// Stores a conversation after each change. Changes during a write are stored together by the next one.

import { type Signal, signal } from '@preact/signals';
import { errorText } from '../../api/request.ts';
import type { ChatDocument } from '../../conversation/chat-document.ts';
import { mergeDocuments } from '../../conversation/message-tree.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { saveDocument } from '../../storage/save-document.ts';

interface SaverOptions {
  readonly storage: ChatStorage;
  /** Gets the stored revision, and messages that were added elsewhere. */
  readonly document: Signal<ChatDocument>;
  readonly onSaved: (document: ChatDocument) => void;
}

export class Saver {
  /** Why the last write failed; empty if it did not. */
  readonly problem = signal('');
  readonly #options: SaverOptions;
  #saving: Promise<void> | undefined;
  #isChanged = false;
  #isClosed = false;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  save(): void {
    this.#isChanged = true;
    this.#saving ??= this.#writeAll();
  }

  /** Resolves when nothing is being written. Nothing is written after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#saving;
  }

  async #writeAll(): Promise<void> {
    while (this.#isChanged && !this.#isClosed) {
      this.#isChanged = false;
      try {
        await this.#write();
        this.problem.value = '';
      } catch (error) {
        this.problem.value = errorText(error);
      }
    }
    this.#saving = undefined;
  }

  async #write(): Promise<void> {
    const { storage, document, onSaved } = this.#options;
    const sent = document.peek();
    const saved = await saveDocument(storage, sent);
    const merged = saved.messages === sent.messages ? {} : mergeDocuments(saved, document.peek());
    document.value = { ...document.peek(), ...merged, revision: saved.revision };
    onSaved(document.peek());
  }
}
