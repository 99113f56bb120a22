// One open conversation: what is shown, the answer that is arriving, and what the user can do. An answer goes on while
// another conversation is shown.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { messageOf } from '../api/api-error.ts';
import type { StreamChat } from '../api/stream-chat.ts';
import { type Answer, addPart, beginAnswer, toMessage } from '../conversation/answer.ts';
import { type AttachedFile, type ChatDocument, type ChatMessage, titleFrom } from '../conversation/chat-document.ts';
import { groupByParent, newestLeaf, pathTo, putMessage } from '../conversation/message-tree.ts';
import { newId } from '../conversation/new-id.ts';
import { toChatRequest } from '../conversation/to-chat-request.ts';
import type { ChatStorage } from '../storage/chat-storage.ts';
import { createSaver } from './saver.ts';

export interface Draft {
  readonly text: string;
  /** Base64. */
  readonly images: readonly string[];
  readonly files: readonly AttachedFile[];
}

export type ChatSettings = Pick<ChatDocument, 'title' | 'model' | 'system' | 'options' | 'format' | 'think'>;

export interface RunningAnswer {
  /** The message that the answer becomes. */
  readonly message: ChatMessage;
  readonly answer: ReadonlySignal<Answer>;
}

export interface ChatSession {
  readonly document: ReadonlySignal<ChatDocument>;
  /** The branch that is shown. */
  readonly path: ReadonlySignal<readonly ChatMessage[]>;
  readonly alternatives: ReadonlySignal<ReadonlyMap<string | null, readonly ChatMessage[]>>;
  readonly running: ReadonlySignal<RunningAnswer | undefined>;
  /** Why the last change was not stored; empty if it was. */
  readonly saveProblem: ReadonlySignal<string>;
  send(draft: Draft): void;
  /** Asks again with another text, in a branch of its own. */
  edit(message: ChatMessage, text: string): void;
  /** Answers again, in a branch of its own. */
  regenerate(answer: ChatMessage): void;
  /** Adds to an answer that was stopped, or that reached its limit. */
  continueAnswer(answer: ChatMessage): void;
  stop(): void;
  /** Shows the newest branch with this message. */
  choose(message: ChatMessage): void;
  /** A setting that is undefined is removed. */
  configure(changes: { readonly [Key in keyof ChatSettings]?: ChatSettings[Key] | undefined }): void;
}

export interface ChatSessionOptions {
  readonly document: ChatDocument;
  readonly storage: ChatStorage;
  readonly streamChat: StreamChat;
  /** Calls back before the next frame is painted. */
  readonly nextFrame: (callback: () => void) => void;
  /** Milliseconds. */
  readonly monotonic: () => number;
  /** In RFC 3339. */
  readonly now: () => string;
  /** Called with each version that was stored. */
  readonly onSaved: (document: ChatDocument) => void;
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { storage, streamChat, nextFrame, monotonic, now, onSaved } = options;
  const document = signal(options.document);
  const running = signal<RunningAnswer | undefined>(undefined);
  const saver = createSaver({ storage, document, onSaved });
  let controller: AbortController | undefined;

  const change = (changes: Partial<ChatDocument>): void => {
    document.value = { ...document.peek(), ...changes, updated_at: now() };
    saver.save();
  };

  /** Receives the answer into a signal that changes once per frame. */
  const receive = async (message: ChatMessage, signalOfAnswer: Signal<Answer>, abort: AbortSignal): Promise<Answer> => {
    const { messages } = document.peek();
    const isContinued = messages.some(({ id }) => id === message.id);
    const path = pathTo(messages, isContinued ? message.id : (message.parent ?? undefined));
    const startedAt = monotonic();
    let latest = signalOfAnswer.peek();
    let isScheduled = false;
    try {
      for await (const part of streamChat(toChatRequest(document.peek(), path), abort)) {
        latest = addPart(latest, part, monotonic() - startedAt);
        if (isScheduled) continue;
        isScheduled = true;
        nextFrame(() => {
          isScheduled = false;
          signalOfAnswer.value = latest;
        });
      }
    } finally {
      // The next frame may never come.
      signalOfAnswer.value = latest;
    }
    return latest;
  };

  const run = async (message: ChatMessage): Promise<void> => {
    const answer = signal(beginAnswer(message));
    const abort = new AbortController();
    controller = abort;
    running.value = { message, answer };
    const finish = (result: Answer, end: Partial<ChatMessage>): void => {
      const done = { ...toMessage(message, result), ...end };
      const { messages, leaf } = document.peek();
      // The user may look at another branch by now.
      const isShown = leaf === message.parent || leaf === message.id;
      batch(() => {
        running.value = undefined;
        change({ messages: putMessage(messages, done), ...(isShown ? { leaf: done.id } : {}) });
      });
    };
    try {
      finish(await receive(message, answer, abort.signal), {});
    } catch (error) {
      finish(answer.peek(), abort.signal.aborted ? stopped(answer.peek()) : { error: messageOf(error) });
    }
  };

  /** `parent` is the message to answer. */
  const answerTo = (parent: string): void => {
    if (running.peek() !== undefined) return;
    const { model } = document.peek();
    void run({ id: newId(), parent, role: 'assistant', content: '', model, created_at: now() });
  };

  const ask = (parent: string | null, { text, images, files }: Draft): void => {
    if (running.peek() !== undefined) return;
    const { messages, title } = document.peek();
    const message: ChatMessage = {
      id: newId(),
      parent,
      role: 'user',
      content: text,
      ...(images.length === 0 ? {} : { images }),
      ...(files.length === 0 ? {} : { files }),
      created_at: now(),
    };
    const name = title === '' ? titleFrom(text === '' ? (files[0]?.name ?? 'Image') : text) : title;
    change({ messages: [...messages, message], leaf: message.id, title: name });
    answerTo(message.id);
  };

  return {
    document,
    path: computed(() => pathTo(document.value.messages, document.value.leaf)),
    alternatives: computed(() => groupByParent(document.value.messages)),
    running,
    saveProblem: saver.problem,
    send: (draft) => ask(document.peek().leaf ?? null, draft),
    edit: ({ parent, images = [], files = [] }, text) => ask(parent, { text, images, files }),
    regenerate({ parent }) {
      if (parent === null || running.peek() !== undefined) return;
      change({ leaf: parent });
      answerTo(parent);
    },
    continueAnswer({ error, ...message }) {
      if (running.peek() === undefined) void run(message);
    },
    stop: () => controller?.abort(),
    choose({ id }) {
      change({ leaf: newestLeaf(document.peek().messages, id) });
    },
    configure(changes) {
      const entries = Object.entries({ ...document.peek(), ...changes, updated_at: now() });
      document.value = Object.fromEntries(
        entries.filter(([, value]) => value !== undefined),
      ) as unknown as ChatDocument;
      // A conversation without messages is not kept.
      if (document.peek().messages.length > 0) saver.save();
    },
  };
}

function stopped({ content, thinking }: Answer): Partial<ChatMessage> {
  const isEmpty = content === '' && thinking === '';
  return isEmpty ? { error: 'Stopped before the first text.' } : { stats: { done_reason: 'stopped' } };
}
