// The conversations of the user: the list, and those that are open. Open ones stay open, since an answer may be arriving.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { answerApi } from '../../api/answer-api.ts';
import type { ModelList } from '../../api/models.ts';
import { type ChatDocument, type ListedChat, newDocument, newId, toSummary } from '../../conversation/chat-document.ts';
import { canWriteTitles } from '../../conversation/chat-title.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import type { PageSettings } from '../../storage/page-settings.ts';
import { ChatSession } from './chat-session.ts';
import { requestTitle } from './write-title.ts';

interface WorkspaceOptions {
  readonly storage: ChatStorage;
  readonly chats: readonly ListedChat[];
  readonly models: ModelList;
  readonly settings: ReadonlySignal<PageSettings>;
}

export class Workspace {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first. */
  readonly chats: ReadonlySignal<readonly ListedChat[]>;
  readonly #chats: Signal<readonly ListedChat[]>;
  readonly #storage: ChatStorage;
  readonly #models: ModelList;
  readonly #settings: ReadonlySignal<PageSettings>;
  readonly #sessions = new Map<string, ChatSession>();
  /** The conversations whose answers are arriving. */
  readonly answering: ReadonlySignal<ReadonlySet<string>>;
  readonly #answering = signal<ReadonlySet<string>>(new Set());

  constructor({ storage, chats, models, settings }: WorkspaceOptions) {
    this.#settings = settings;
    this.answering = this.#answering;
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
    const { model, system } = this.#settings.peek();
    const isThere = model !== '' && this.#models.find(model) !== undefined;
    const chosen = isThere ? model : this.#models.preferred();
    return this.#create({ ...newDocument({ id: newId(), model: chosen, now: now() }), system });
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
      settings: this.#settings,
      writeTitle: (asked) => this.#writeTitle(asked),
      onSaved: (saved) => this.#noteSaved(saved),
    });
    this.#sessions.set(document.id, session);
    session.running.subscribe((running) => this.#noteRunning(document.id, running !== undefined));
    return session;
  }

  #noteRunning(id: string, isRunning: boolean): void {
    const others = [...this.#answering.peek()].filter((other) => other !== id);
    if (isRunning || others.length < this.#answering.peek().size)
      this.#answering.value = new Set(isRunning ? [...others, id] : others);
  }

  async #writeTitle(document: ChatDocument): Promise<string> {
    const { parameterSize } = this.#models.find(document.model) ?? { parameterSize: '0' };
    if (!this.#settings.peek().writesTitles || !canWriteTitles(parameterSize)) return '';
    return requestTitle(document);
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
