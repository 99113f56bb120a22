// The conversations of the user: the list, and those that are open. Open ones stay open, since an answer may be arriving.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { answerApi } from '../../api/answer-api.ts';
import type { ModelList } from '../../api/models.ts';
import { type ChatDocument, type ListedChat, newDocument, newId, toSummary } from '../../conversation/chat-document.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { ChatSession } from './chat-session.ts';

export class Workspace {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first. */
  readonly chats: ReadonlySignal<readonly ListedChat[]>;
  readonly #chats: Signal<readonly ListedChat[]>;
  readonly #storage: ChatStorage;
  readonly #models: ModelList;
  readonly #sessions = new Map<string, ChatSession>();

  constructor(storage: ChatStorage, chats: readonly ListedChat[], models: ModelList) {
    this.#storage = storage;
    this.#models = models;
    this.#chats = signal(chats);
    this.chats = this.#chats;
    this.isDurable = storage.isDurable;
  }

  /** undefined: there is no such conversation. */
  async open(id: string): Promise<ChatSession | undefined> {
    const document = this.#sessions.has(id) ? undefined : await this.#storage.read(id);
    // Another call may have opened it meanwhile.
    const session = this.#sessions.get(id) ?? (document && this.#create(document));
    session?.resume();
    return session;
  }

  /** A conversation without messages. It is stored with its first message. */
  begin(): ChatSession {
    return this.#create(newDocument({ id: newId(), model: this.#models.preferred(), now: now() }));
  }

  async remove(id: string): Promise<void> {
    // Otherwise the end of its answer would store it again.
    await this.#sessions.get(id)?.close();
    this.#sessions.delete(id);
    await this.#storage.remove(id);
    this.#chats.value = this.#chats.peek().filter((chat) => chat.id !== id);
  }

  search(query: string): Promise<readonly ListedChat[]> {
    return this.#storage.list(query);
  }

  /** Reads the list again, and open conversations that have changed. */
  async refresh(): Promise<void> {
    this.#chats.value = await this.#storage.list();
    const reload = async ({ id, revision }: ListedChat): Promise<void> => {
      const session = this.#sessions.get(id);
      if (session === undefined || session.document.peek().revision >= revision) return;
      const document = await this.#storage.read(id);
      if (document === undefined) return;
      session.update(document);
      session.resume();
    };
    await Promise.all(this.#chats.peek().map(reload));
  }

  /** Other devices change conversations, too. */
  watch(): void {
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.refresh().catch(() => {});
    });
  }

  #create(document: ChatDocument): ChatSession {
    const session = new ChatSession({
      document,
      storage: this.#storage,
      answers: answerApi,
      nextFrame,
      monotonicMs: () => performance.now(),
      now,
      onSaved: (saved) => this.#noteSaved(saved),
    });
    this.#sessions.set(document.id, session);
    return session;
  }

  #noteSaved(saved: ChatDocument): void {
    this.#chats.value = [toSummary(saved), ...this.#chats.peek().filter(({ id }) => id !== saved.id)];
    this.#models.prefer(saved.model);
    // The model may have been loaded.
    this.#models.refreshStates().catch(() => {});
  }
}

const now = (): string => new Date().toISOString();

const hiddenIntervalMs = 250;

/** One paint per frame: text that arrives in between is shown together. A page that is hidden paints no frames. */
function nextFrame(callback: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(callback);
  else setTimeout(callback, hiddenIntervalMs);
}
