// The conversations of the user: the list, and those that are open. Open ones stay open, since they may have an answer
// that is arriving.

import { type ReadonlySignal, signal } from '@preact/signals';
import { answerApi } from '../../api/answer-api.ts';
import { preferredModel, refreshStates, rememberModel } from '../../api/models.ts';
import { type ChatDocument, type ChatSummary, newDocument, toSummary } from '../../conversation/chat-document.ts';
import { newId } from '../../conversation/new-id.ts';
import type { OpenStorage } from '../../storage/open-storage.ts';
import { type ChatSession, createChatSession } from './chat-session.ts';
import { nextFrame } from './next-frame.ts';

export interface Workspace {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first. */
  readonly chats: ReadonlySignal<readonly ChatSummary[]>;
  /** undefined: there is no such conversation. */
  open(id: string): Promise<ChatSession | undefined>;
  /** A conversation without messages. It is stored with its first message. */
  begin(): ChatSession;
  remove(id: string): Promise<void>;
  search(query: string): Promise<readonly ChatSummary[]>;
  /** Reads the list again, and open conversations that have changed. */
  refresh(): Promise<void>;
}

export function createWorkspace({ storage, chats: listed }: OpenStorage): Workspace {
  const chats = signal(listed);
  const sessions = new Map<string, ChatSession>();
  const now = (): string => new Date().toISOString();

  const note = (document: ChatDocument): void => {
    chats.value = [toSummary(document), ...chats.peek().filter(({ id }) => id !== document.id)];
  };
  const create = (document: ChatDocument): ChatSession => {
    const onSaved = (saved: ChatDocument): void => {
      note(saved);
      rememberModel(saved.model);
      // The model may have been loaded.
      refreshStates().catch(() => {});
    };
    const session = createChatSession({
      document,
      storage,
      answers: answerApi,
      nextFrame,
      monotonic: () => performance.now(),
      now,
      onSaved,
    });
    sessions.set(document.id, session);
    return session;
  };

  const reload = async ({ id }: ChatSummary): Promise<void> => {
    const document = await storage.read(id);
    const session = sessions.get(id);
    if (document === undefined || session === undefined) return;
    session.update(document);
    session.resume();
  };

  return {
    isDurable: storage.isDurable,
    chats,
    async open(id) {
      const document = sessions.has(id) ? undefined : await storage.read(id);
      // Another call may have opened it meanwhile.
      const session = sessions.get(id) ?? (document && create(document));
      session?.resume();
      return session;
    },
    begin: () => create(newDocument({ id: newId(), model: preferredModel(), now: now() })),
    async remove(id) {
      // Otherwise the end of its answer would store it again.
      await sessions.get(id)?.close();
      sessions.delete(id);
      await storage.remove(id);
      chats.value = chats.peek().filter((chat) => chat.id !== id);
    },
    search: (query) => storage.list(query),
    async refresh() {
      chats.value = await storage.list();
      const isOutdated = ({ id, revision }: ChatSummary): boolean => {
        const session = sessions.get(id);
        return session !== undefined && session.document.peek().revision < revision;
      };
      await Promise.all(chats.peek().filter(isOutdated).map(reload));
    },
  };
}

/** Other devices change conversations, too. Ends with the page. */
export function watchChats({ refresh }: Workspace): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') refresh().catch(() => {});
  });
}
