// Stores a conversation after each change. Changes during a write are stored together by the next one.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { messageOf } from '../api/api-error.ts';
import type { ChatDocument } from '../conversation/chat-document.ts';
import { mergeMessages } from '../conversation/message-tree.ts';
import type { ChatStorage } from '../storage/chat-storage.ts';
import { saveDocument } from '../storage/save-document.ts';

export interface Saver {
  save(): void;
  /** Why the last write failed; empty if it did not. */
  readonly problem: ReadonlySignal<string>;
}

export interface SaverOptions {
  readonly storage: ChatStorage;
  /** Gets the stored revision, and messages that were added elsewhere. */
  readonly document: Signal<ChatDocument>;
  readonly onSaved: (document: ChatDocument) => void;
}

export function createSaver({ storage, document, onSaved }: SaverOptions): Saver {
  const problem = signal('');
  let isSaving = false;
  let isChanged = false;

  const write = async (): Promise<void> => {
    const sent = document.peek();
    const saved = await saveDocument(storage, sent);
    const { messages } = document.peek();
    const merged = saved.messages === sent.messages ? messages : mergeMessages(saved.messages, messages);
    document.value = { ...document.peek(), messages: merged, revision: saved.revision };
    onSaved(document.peek());
  };
  const writeAll = async (): Promise<void> => {
    isSaving = true;
    while (isChanged) {
      isChanged = false;
      try {
        await write();
        problem.value = '';
      } catch (error) {
        problem.value = messageOf(error);
      }
    }
    isSaving = false;
  };

  return {
    problem,
    save() {
      isChanged = true;
      if (!isSaving) void writeAll();
    },
  };
}
