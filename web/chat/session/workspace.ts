// The conversations of the user: the list, and those that are open. Open ones stay open, since an answer may be arriving.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { answerApi } from '../../api/answer-api.ts';
import type { ModelList } from '../../api/models.ts';
import {
  type ChatDocument,
  type ChatPlace,
  type ListedChat,
  newDocument,
  newId,
  toSummary,
} from '../../conversation/chat-document.ts';
import { canWriteTitles } from '../../conversation/chat-title.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { createMemoryStorage } from '../../storage/memory-storage.ts';
import type { PageSettingsStore } from '../../storage/page-settings.ts';
import { saveDocument } from '../../storage/save-document.ts';
import { ChatSession } from './chat-session.ts';
import { requestTitle } from './write-title.ts';

interface WorkspaceOptions {
  readonly storage: ChatStorage;
  readonly chats: readonly ListedChat[];
  readonly models: ModelList;
  readonly settings: PageSettingsStore;
  /** The other tabs of this browser. */
  readonly others?: Pick<BroadcastChannel, 'postMessage' | 'onmessage'>;
}

/** A deletion that can be taken back. */
interface Deletion {
  readonly count: number;
  readonly undo: () => Promise<void>;
}

export class Workspace {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first. */
  readonly chats: ReadonlySignal<readonly ListedChat[]>;
  readonly #chats: Signal<readonly ListedChat[]>;
  readonly #storage: ChatStorage;
  readonly #models: ModelList;
  readonly #settings: PageSettingsStore;
  readonly #sessions = new Map<string, ChatSession>();
  /** The conversations whose answers are arriving. */
  readonly answering: ReadonlySignal<ReadonlySet<string>>;
  readonly #answering = signal<ReadonlySet<string>>(new Set());
  /** The last one, until the user closes its notice. */
  readonly deletion = signal<Deletion | undefined>(undefined);
  readonly #others: Pick<BroadcastChannel, 'postMessage' | 'onmessage'>;

  constructor({ storage, chats, models, settings, others = new BroadcastChannel('hearth.chats') }: WorkspaceOptions) {
    this.#others = others;
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

  /** A conversation without messages. It is stored with its first message, unless it is temporary. */
  begin({ isTemporary = false } = {}): ChatSession {
    const { model, system } = this.#settings.current.peek();
    const isThere = model !== '' && this.#models.find(model) !== undefined;
    const chosen = isThere ? model : this.#models.preferred();
    const document = { ...newDocument({ id: newId(), model: chosen, now: now() }), system };
    return this.#create(document, isTemporary ? createMemoryStorage() : undefined);
  }

  /** Forgets a conversation that is temporary. */
  async end(session: ChatSession): Promise<void> {
    if (!session.isTemporary) return;
    this.#sessions.delete(session.document.peek().id);
    await session.close();
  }

  /** Can be taken back with `deletion`. */
  async remove(ids: readonly string[]): Promise<void> {
    const undos: (() => Promise<void>)[] = [];
    try {
      for (const id of ids) {
        // Otherwise the end of its answer would store it again.
        await this.#sessions.get(id)?.close();
        this.#sessions.delete(id);
        undos.push(await this.#storage.remove(id));
        this.#chats.value = this.#chats.peek().filter((chat) => chat.id !== id);
      }
    } finally {
      this.#tellOthers();
      if (undos.length > 0) this.deletion.value = { count: undos.length, undo: () => this.#restore(undos) };
    }
  }

  /** Changes how conversations are filed. */
  async arrange(ids: readonly string[], place: ChatPlace): Promise<void> {
    try {
      for (const id of ids) {
        const revision = await this.#storage.arrange(id, place);
        this.#sessions.get(id)?.noteArranged(place, revision);
        this.#chats.value = this.#chats.peek().map((chat) => (chat.id === id ? { ...chat, ...place, revision } : chat));
      }
    } finally {
      this.#tellOthers();
    }
  }

  /** The user has shared a conversation, or has ended its link. */
  noteLink(id: string, link: string | undefined): void {
    this.#chats.value = this.#chats.peek().map((chat) => (chat.id === id ? { ...chat, shared_link: link } : chat));
    this.#tellOthers();
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

  /** Other tabs and devices change conversations, too. */
  watch(): void {
    const refresh = (): void => void this.refresh().catch(() => {});
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') refresh();
    });
    this.#others.onmessage = refresh;
  }

  async #restore(undos: readonly (() => Promise<void>)[]): Promise<void> {
    // If one fails, all can be tried again: what exists is not changed.
    for (const undo of undos) await undo();
    this.deletion.value = undefined;
    await this.refresh();
    this.#tellOthers();
  }

  #tellOthers(): void {
    this.#others.postMessage('changed');
  }

  /** Stores a conversation that is new. Resolves with its id. */
  async add(document: ChatDocument): Promise<string> {
    this.#noteSaved(await saveDocument(this.#storage, document));
    return document.id;
  }

  #create(document: ChatDocument, ownStorage?: ChatStorage): ChatSession {
    const session = new ChatSession({
      document,
      isTemporary: ownStorage !== undefined,
      storage: ownStorage ?? this.#storage,
      answers: answerApi,
      nextFrame,
      monotonicMs: () => performance.now(),
      now,
      settings: this.#settings,
      writeTitle: (asked) => this.#writeTitle(asked),
      onSaved: (saved) => {
        if (ownStorage === undefined) this.#noteSaved(saved);
      },
      onCopied: (copy) => this.add(copy),
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
    if (!this.#settings.current.peek().writesTitles || !canWriteTitles(parameterSize)) return '';
    return requestTitle(document);
  }

  #noteSaved(saved: ChatDocument): void {
    const { shared_link } = this.#chats.peek().find(({ id }) => id === saved.id) ?? {};
    const others = this.#chats.peek().filter(({ id }) => id !== saved.id);
    this.#chats.value = [{ ...toSummary(saved), shared_link }, ...others];
    this.#tellOthers();
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
