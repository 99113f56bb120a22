// Stores a conversation after each change. Changes during a write are stored together by the next one.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { messageOf } from '../../api/api-error.ts';
import type { ChatDocument } from '../../conversation/chat-document.ts';
import { mergeMessages } from '../../conversation/message-tree.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { saveDocument } from '../../storage/save-document.ts';

export interface Saver {
  save(): void;
  /** Resolves when nothing is being written. Nothing is written after it. */
  close(): Promise<void>;
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
  let saving: Promise<void> | undefined;
  let isChanged = false;
  let isClosed = false;

  const write = async (): Promise<void> => {
    const sent = document.peek();
    const saved = await saveDocument(storage, sent);
    const { messages } = document.peek();
    const merged = saved.messages === sent.messages ? messages : mergeMessages(saved.messages, messages);
    document.value = { ...document.peek(), messages: merged, revision: saved.revision };
    onSaved(document.peek());
  };
  const writeAll = async (): Promise<void> => {
    while (isChanged && !isClosed) {
      isChanged = false;
      try {
        await write();
        problem.value = '';
      } catch (error) {
        problem.value = messageOf(error);
      }
    }
    saving = undefined;
  };

  return {
    problem,
    save() {
      isChanged = true;
      saving ??= writeAll();
    },
    async close() {
      isClosed = true;
      await saving;
    },
  };
}
