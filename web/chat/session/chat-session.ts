// One open conversation: what is shown, the answer that is arriving, and what the user can do. An answer goes on while
// another conversation is shown.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type AttachedFile,
  type ChatDocument,
  type ChatPlace,
  newDocument,
  newId,
  type TreeMessage,
  titleFrom,
  titleOfCopy,
} from '../../conversation/chat-document.ts';
import { needsTitle } from '../../conversation/chat-title.ts';
import {
  findUnfinished,
  groupByParent,
  mergeDocuments,
  newestLeaf,
  pathTo,
  putMessage,
  withoutMessages,
} from '../../conversation/message-tree.ts';
import { toConversationRequest } from '../../conversation/to-conversation-request.ts';
import {
  decideCalls,
  hasUndecided,
  type KeptCall,
  permissionKey,
  type ToolPermission,
} from '../../conversation/tool-calls.ts';
import { t } from '../../language/language.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import type { PageSettings, PageSettingsStore } from '../../storage/page-settings.ts';
import { AnswerRunner, type AnswerRunnerOptions, forgottenText } from './answer-runner.ts';
import { Saver } from './saver.ts';

interface Draft {
  readonly text: string;
  /** Each image in base64. */
  readonly images: readonly string[];
  readonly files: readonly AttachedFile[];
}

interface ChatSessionOptions extends Omit<AnswerRunnerOptions, 'onChange' | 'maxTokens'> {
  readonly document: ChatDocument;
  /** Whether it is gone when the user leaves it. */
  readonly isTemporary: boolean;
  readonly storage: ChatStorage;
  /** In RFC 3339. */
  readonly now: () => string;
  readonly settings: PageSettingsStore;
  /** Resolves with a better title than the beginning of the first question; empty if there is none. */
  readonly writeTitle: (document: ChatDocument) => Promise<string>;
  /** Called with each version that was stored. */
  readonly onSaved: (document: ChatDocument) => void;
  /** Stores a copy of the conversation. Resolves with its id. */
  readonly onCopied: (copy: ChatDocument) => Promise<string>;
}

export class ChatSession {
  readonly document: ReadonlySignal<ChatDocument>;
  /** The branch that is shown. */
  readonly path: ReadonlySignal<readonly TreeMessage[]>;
  readonly alternatives: ReadonlySignal<ReadonlyMap<string | null, readonly TreeMessage[]>>;
  readonly running: AnswerRunner['running'];
  readonly settings: ReadonlySignal<PageSettings>;
  readonly isTemporary: boolean;
  /** Why the last change was not stored; empty if it was. */
  readonly saveProblem: ReadonlySignal<string>;
  readonly #document: Signal<ChatDocument>;
  readonly #messages: ReadonlySignal<readonly TreeMessage[]>;
  readonly #settings: PageSettingsStore;
  readonly #runner: AnswerRunner;
  readonly #saver: Saver;
  readonly #isDurable: boolean;
  readonly #now: () => string;
  readonly #writeTitle: ChatSessionOptions['writeTitle'];
  readonly #onCopied: ChatSessionOptions['onCopied'];

  constructor(options: ChatSessionOptions) {
    const {
      document: first,
      isTemporary,
      storage,
      now,
      settings,
      writeTitle,
      onSaved,
      onCopied,
      ...runnerOptions
    } = options;
    const document = signal(first);
    // A new revision alone changes nothing that is shown.
    const messages = computed(() => document.value.messages);
    const leaf = computed(() => document.value.leaf);
    this.#document = document;
    this.#messages = messages;
    this.#saver = new Saver({ storage, document, onSaved });
    this.#runner = new AnswerRunner({
      ...runnerOptions,
      maxTokens: () => settings.current.peek().maxTokens,
      onChange: (message) => this.#noteAnswer(message),
    });
    this.#isDurable = storage.isDurable;
    this.#now = now;
    this.#writeTitle = writeTitle;
    this.#onCopied = onCopied;
    this.settings = settings.current;
    this.#settings = settings;
    this.isTemporary = isTemporary;
    this.document = document;
    this.path = computed(() => pathTo(messages.value, leaf.value));
    this.alternatives = computed(() => groupByParent(messages.value));
    this.running = this.#runner.running;
    this.saveProblem = this.#saver.problem;
  }

  send(draft: Draft): void {
    this.#ask(this.#document.peek().leaf ?? null, draft);
  }

  /** Asks again with another text, in a branch of its own. */
  edit({ parent, images = [], files = [] }: TreeMessage, text: string): void {
    this.#ask(parent, { text, images, files });
  }

  /** Another text for an answer, in a branch of its own. */
  editAnswer({ parent, model }: TreeMessage, text: string): void {
    if (this.#isBusy()) return;
    const edited: TreeMessage = {
      ...{ id: newId(), parent, role: 'assistant', model, created_at: this.#now() },
      ...{ content: text, edited: true, stats: { done_reason: 'stop' } },
    };
    this.#change({ messages: [...this.#messages.peek(), edited], leaf: edited.id });
  }

  /** Removes a message and all that follow it. */
  deleteMessage({ id }: TreeMessage): void {
    if (!this.#isBusy()) this.#change(withoutMessages(this.#document.peek(), new Set([id])));
  }

  /** A conversation of its own with what was said up to a message. Resolves with its id. */
  copyUpTo({ id }: TreeMessage): Promise<string> {
    const document = this.#document.peek();
    const title = this.isTemporary ? document.title : titleOfCopy(document.title);
    const messages = pathTo(this.#messages.peek(), id).map(({ request, ...message }) => message);
    const { id: newOne, created_at, updated_at } = newDocument({ id: newId(), model: '', now: this.#now() });
    const place = { pinned: undefined, folder: undefined, deleted: undefined, revision: 0 };
    return this.#onCopied({ ...document, ...place, id: newOne, created_at, updated_at, title, messages, leaf: id });
  }

  /** Answers again, in a branch of its own. */
  regenerate({ parent }: TreeMessage): void {
    if (parent !== null && !this.#isBusy()) this.#add(this.#newAnswer(parent), [], {});
  }

  /** Adds to an answer that was stopped, or that reached its limit. */
  continueAnswer({ error, request, ...message }: TreeMessage): void {
    if (!this.#isBusy()) this.#begin(message, pathTo(this.#messages.peek(), message.id));
  }

  /** Continues to receive an answer that was arriving when the page was closed, or when the connection was lost. */
  resume(): void {
    const unfinished = findUnfinished(this.#messages.peek());
    if (unfinished !== undefined && !this.#isBusy()) this.#runner.resume(unfinished);
  }

  /** Tries to connect now, if the connection of the answer is lost. */
  reconnect(): void {
    this.#runner.reconnect();
  }

  /** Fetches the rest of an answer that failed, or asks for it again. */
  retry(message: TreeMessage): void {
    if (message.request === undefined || message.error === forgottenText) this.continueAnswer(message);
    else if (!this.#isBusy()) this.#runner.resume(message);
  }

  /** For all calls of a tool from now on; undefined: each call asks. */
  permit(tool: Pick<KeptCall, 'server' | 'tool'>, permission: ToolPermission | undefined): void {
    const { [permissionKey(tool)]: _, ...others } = this.settings.peek().toolPermissions;
    const added = permission === undefined ? {} : { [permissionKey(tool)]: permission };
    this.#settings.change({ toolPermissions: { ...others, ...added } });
  }

  /** Lets calls of an answer run, or refuses them. When none is left to decide, the model goes on. */
  decide(message: TreeMessage, isMeant: (call: KeptCall) => boolean, approved: boolean): void {
    if (this.#isBusy()) return;
    const decided = decideCalls(message, isMeant, approved);
    this.#change({ messages: putMessage(this.#messages.peek(), decided) });
    if (!hasUndecided(decided)) this.continueAnswer(decided);
  }

  stop(): void {
    this.#runner.stop();
  }

  /** Stops the answer. Nothing is stored after this has resolved. */
  async close(): Promise<void> {
    this.#runner.stop();
    await this.#saver.close();
  }

  /** Takes over a version that another page stored. */
  update(stored: ChatDocument): void {
    if (this.#isBusy() || stored.revision <= this.#document.peek().revision) return;
    const { leaf } = stored;
    this.#document.value = { ...stored, ...mergeDocuments(stored, { ...this.#document.peek(), leaf }) };
  }

  /** The user has filed the conversation, and the server knows. */
  noteArranged(place: ChatPlace, revision: number): void {
    this.#document.value = { ...this.#document.peek(), ...place, revision };
  }

  /** Shows the newest branch with this message. */
  choose({ id }: TreeMessage): void {
    this.#change({ leaf: newestLeaf(this.#messages.peek(), id) });
  }

  configure(
    changes: Partial<
      Pick<ChatDocument, 'title' | 'model' | 'system' | 'options' | 'format' | 'think' | 'mcp' | 'collections'>
    >,
  ): void {
    // A conversation without messages is not kept.
    if (this.#messages.peek().length > 0) this.#change(changes);
    else this.#document.value = { ...this.#document.peek(), ...changes };
  }

  #isBusy(): boolean {
    return this.running.peek() !== undefined;
  }

  #change(changes: Partial<ChatDocument>): void {
    this.#document.value = { ...this.#document.peek(), ...changes, updated_at: this.#now() };
    this.#saver.save();
  }

  #noteAnswer(message: TreeMessage): void {
    const changes = { messages: putMessage(this.#messages.peek(), message) };
    // A lost connection is not stored: the answer may be complete for another page.
    if (message.request !== undefined && message.error !== undefined)
      this.#document.value = { ...this.#document.peek(), ...changes };
    else this.#change(changes);
    if (!this.isTemporary && needsTitle(this.#document.peek())) void this.#improveTitle();
  }

  async #improveTitle(): Promise<void> {
    const asked = this.#document.peek();
    // Without another title, this one is good enough.
    const title = await this.#writeTitle(asked).catch(() => '');
    if (title !== '' && this.#document.peek().title === asked.title) this.#change({ title });
  }

  #ask(parent: string | null, { text, images, files }: Draft): void {
    if (this.#isBusy()) return;
    const question: TreeMessage = {
      id: newId(),
      parent,
      role: 'user',
      content: text,
      images: images.length === 0 ? undefined : images,
      files: files.length === 0 ? undefined : files,
      created_at: this.#now(),
    };
    const title = this.#document.peek().title || titleFrom(text === '' ? (files[0]?.name ?? t('Image')) : text);
    this.#add(this.#newAnswer(question.id), [question], { title });
  }

  #newAnswer(parent: string): TreeMessage {
    const { model } = this.#document.peek();
    return { id: newId(), parent, role: 'assistant', content: '', model, created_at: this.#now() };
  }

  /** Adds an answer, and what it answers if that is new. */
  #add(answer: TreeMessage, added: readonly TreeMessage[], changes: Partial<ChatDocument>): void {
    const all = [...this.#messages.peek(), ...added, answer];
    batch(() => {
      this.#change({ ...changes, messages: all, leaf: answer.id });
      this.#begin(answer, pathTo(all, answer.parent ?? undefined));
    });
  }

  /** `path` is what the model reads: it ends with the question, or with an answer to continue. */
  #begin(message: TreeMessage, path: readonly TreeMessage[]): void {
    // Without storage, no page could come back to the answer.
    const request = toConversationRequest(this.#document.peek(), path, this.settings.peek().toolPermissions);
    this.#runner.begin(message, { ...request, resumable: this.#isDurable, prompt_progress: true });
  }
}
