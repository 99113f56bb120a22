// One open conversation: what is shown, the answer that is arriving, and what the user can do. An answer goes on while
// another conversation is shown.

import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { type AttachedFile, type ChatDocument, type ChatMessage, titleFrom } from '../../conversation/chat-document.ts';
import {
  findUnfinished,
  groupByParent,
  mergeMessages,
  newestLeaf,
  pathTo,
  putMessage,
} from '../../conversation/message-tree.ts';
import { newId } from '../../conversation/new-id.ts';
import { toChatRequest } from '../../conversation/to-chat-request.ts';
import type { ChatStorage } from '../../storage/chat-storage.ts';
import { type AnswerRunner, type AnswerRunnerOptions, createAnswerRunner } from './answer-runner.ts';
import { createSaver } from './saver.ts';

export interface Draft {
  readonly text: string;
  /** Base64. */
  readonly images: readonly string[];
  readonly files: readonly AttachedFile[];
}

export type ChatSettings = Pick<ChatDocument, 'title' | 'model' | 'system' | 'options' | 'format' | 'think'>;

export interface ChatSession {
  readonly document: ReadonlySignal<ChatDocument>;
  /** The branch that is shown. */
  readonly path: ReadonlySignal<readonly ChatMessage[]>;
  readonly alternatives: ReadonlySignal<ReadonlyMap<string | null, readonly ChatMessage[]>>;
  readonly running: AnswerRunner['running'];
  /** Why the last change was not stored; empty if it was. */
  readonly saveProblem: ReadonlySignal<string>;
  send(draft: Draft): void;
  /** Asks again with another text, in a branch of its own. */
  edit(message: ChatMessage, text: string): void;
  /** Answers again, in a branch of its own. */
  regenerate(answer: ChatMessage): void;
  /** Adds to an answer that was stopped, or that reached its limit. */
  continueAnswer(answer: ChatMessage): void;
  /** Picks up an answer that was arriving when the page was closed, or when the connection was lost. */
  resume(): void;
  stop(): void;
  /** Stops the answer. Nothing is stored after this has resolved. */
  close(): Promise<void>;
  /** Takes over a version that another page stored. */
  update(stored: ChatDocument): void;
  /** Shows the newest branch with this message. */
  choose(message: ChatMessage): void;
  /** A setting that is undefined is removed. */
  configure(changes: { readonly [Key in keyof ChatSettings]?: ChatSettings[Key] | undefined }): void;
}

export interface ChatSessionOptions extends Omit<AnswerRunnerOptions, 'onChange'> {
  readonly document: ChatDocument;
  readonly storage: ChatStorage;
  /** In RFC 3339. */
  readonly now: () => string;
  /** Called with each version that was stored. */
  readonly onSaved: (document: ChatDocument) => void;
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { storage, now, onSaved } = options;
  const document = signal(options.document);
  // A new revision alone changes nothing that is shown.
  const messages = computed(() => document.value.messages);
  const leaf = computed(() => document.value.leaf);
  const saver = createSaver({ storage, document, onSaved });

  const change = (changes: Partial<ChatDocument>): void => {
    document.value = { ...document.peek(), ...changes, updated_at: now() };
    saver.save();
  };
  const runner = createAnswerRunner({
    ...options,
    onChange(message) {
      const changes = { messages: putMessage(messages.peek(), message) };
      // What went wrong with the connection is not stored: the answer may be complete for another page.
      if (message.request !== undefined && message.error !== undefined)
        document.value = { ...document.peek(), ...changes };
      else change(changes);
    },
  });
  const isBusy = (): boolean => runner.running.peek() !== undefined;

  /** `path` is what the model reads: it ends with the question, or with an answer to continue. */
  const begin = (message: ChatMessage, path: readonly ChatMessage[]): void => {
    // Without storage, nobody could come back to the answer.
    const body = { ...toChatRequest(document.peek(), path), resumable: storage.isDurable };
    runner.begin(message, body);
  };
  const newAnswer = (parent: string): ChatMessage => {
    const { model } = document.peek();
    return { id: newId(), parent, role: 'assistant', content: '', model, created_at: now() };
  };
  /** Adds an answer, and what it answers if that is new. */
  const add = (answer: ChatMessage, added: readonly ChatMessage[], changes: Partial<ChatDocument>): void => {
    const all = [...messages.peek(), ...added, answer];
    batch(() => {
      change({ ...changes, messages: all, leaf: answer.id });
      begin(answer, pathTo(all, answer.parent ?? undefined));
    });
  };

  const ask = (parent: string | null, { text, images, files }: Draft): void => {
    if (isBusy()) return;
    const question: ChatMessage = {
      id: newId(),
      parent,
      role: 'user',
      content: text,
      ...(images.length === 0 ? {} : { images }),
      ...(files.length === 0 ? {} : { files }),
      created_at: now(),
    };
    const title = document.peek().title || titleFrom(text === '' ? (files[0]?.name ?? 'Image') : text);
    add(newAnswer(question.id), [question], { title });
  };

  return {
    document,
    path: computed(() => pathTo(messages.value, leaf.value)),
    alternatives: computed(() => groupByParent(messages.value)),
    running: runner.running,
    saveProblem: saver.problem,
    send: (draft) => ask(leaf.peek() ?? null, draft),
    edit: ({ parent, images = [], files = [] }, text) => ask(parent, { text, images, files }),
    regenerate({ parent }) {
      if (parent !== null && !isBusy()) add(newAnswer(parent), [], {});
    },
    continueAnswer({ error, request, ...message }) {
      if (!isBusy()) begin(message, pathTo(messages.peek(), message.id));
    },
    resume() {
      const unfinished = findUnfinished(messages.peek());
      if (unfinished !== undefined && !isBusy()) runner.resume(unfinished);
    },
    stop: runner.stop,
    async close() {
      runner.stop();
      await saver.close();
    },
    update(stored) {
      if (isBusy() || stored.revision <= document.peek().revision) return;
      document.value = { ...stored, messages: mergeMessages(stored.messages, messages.peek()) };
    },
    choose({ id }) {
      change({ leaf: newestLeaf(messages.peek(), id) });
    },
    configure(changes) {
      const entries = Object.entries({ ...document.peek(), ...changes, updated_at: now() });
      document.value = Object.fromEntries(
        entries.filter(([, value]) => value !== undefined),
      ) as unknown as ChatDocument;
      // A conversation without messages is not kept.
      if (messages.peek().length > 0) saver.save();
    },
  };
}
