// Conversations that are kept on the server, in a folder for each owner. Nothing is removed to make room: a conversation
// beyond a limit is refused.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createTurns, type Turns } from '../../../base/turns.ts';
import { encodeChat } from './chat-file.ts';
import type { ChatEntry, ChatFolder } from './chat-folder.ts';
import { type ChatLimits, checkLimits } from './chat-limits.ts';
import type { ChatLinks } from './chat-links.ts';
import { type FoundChats, searchChats } from './search-chats.ts';
import { type ChangeChat, chatNotFound, createSharing } from './share-chats.ts';
import {
  type ChatArrangement,
  type ChatContent,
  type ChatSummary,
  checkChatId,
  checkContent,
  placeAfter,
  type StoredChat,
} from './stored-chat.ts';

interface ChatChange {
  readonly id: string;
  readonly content: ChatContent;
  /** The revision that the client has changed; 0: the conversation is new. */
  readonly revision: number;
}

export interface ImportedChat {
  readonly id: string;
  readonly content: ChatContent;
  /** The time in milliseconds since the epoch; absent: now. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly arrangement?: ChatArrangement;
}

interface ChatStoreOptions extends ChatLimits {
  /** Where the conversations of an owner are. */
  readonly openFolder: (owner: string) => ChatFolder;
  readonly links: ChatLinks;
  /** Whether the links of an owner work. */
  readonly hasAccess: (owner: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Owner {
  readonly folder: ChatFolder;
  /** One change at a time: a revision must not change between its check and the write. */
  readonly turns: Turns;
}

const maxWaitingChanges = 100;

export function createChatStore({ openFolder, links, hasAccess, clock, logger, ...limits }: ChatStoreOptions) {
  const owners = new Map<string, Owner>();
  const ownerOf = (name: string): Owner => {
    const known = owners.get(name);
    if (known) return known;
    const created: Owner = {
      folder: openFolder(name),
      turns: createTurns(maxWaitingChanges),
    };
    owners.set(name, created);
    return created;
  };
  const list = async (owner: string): Promise<ChatEntry[]> =>
    (await ownerOf(owner).folder.list()).sort((a, b) => b.updatedAt - a.updatedAt);
  const warnOfDamage = createDamageWarning(logger);
  const save = async (own: ChatFolder, chat: StoredChat): Promise<StoredChat> => {
    const text = encodeChat(chat);
    checkLimits(limits, { id: chat.id, bytes: Buffer.byteLength(text) }, await own.list());
    await own.write(chat, text);
    return chat;
  };

  /** Nobody else changes the conversation meanwhile, neither in this process nor in another one. */
  const change: ChangeChat = (owner, { id, signal }, work) => {
    const { turns, folder } = ownerOf(owner);
    return turns.run(() => folder.lock(id, work), signal);
  };
  const folderOf = (owner: string): ChatFolder => ownerOf(owner).folder;
  const sharing = createSharing({ links, hasAccess, folderOf, change, save, warnOfDamage, logger });
  return {
    /** The last changed first. */
    list,
    search: async (owner: string, text: string, signal: AbortSignal): Promise<FoundChats> =>
      searchChats(await list(owner), { text, read: ownerOf(owner).folder.read, clock, signal }),
    /** Throws `chat_not_found`. */
    async read(owner: string, id: string): Promise<StoredChat> {
      const found = await ownerOf(owner).folder.read(checkChatId(id));
      if (found === undefined) throw chatNotFound(id);
      return found;
    },
    /** In the order of `list`, one after another. Damaged ones are left out. */
    async *readAll(owner: string): AsyncGenerator<StoredChat> {
      for (const { id } of await list(owner)) {
        const chat = await ownerOf(owner).folder.read(id).catch(warnOfDamage);
        if (chat !== undefined) yield chat;
      }
    },
    /** Throws `chat_conflict` if `change` is not based on the current revision. */
    async put(owner: string, { id, content, revision }: ChatChange, signal: AbortSignal): Promise<StoredChat> {
      checkChatId(id);
      checkContent(content);
      return change(owner, { id, signal }, async (own) => {
        const old = await own.readSummary(id);
        checkRevision(id, revision, old);
        const now = clock.now();
        const times = { createdAt: old?.createdAt ?? now, updatedAt: now };
        const rest = { ...times, revision: revision + 1, pinned: old?.pinned, folder: old?.folder, link: old?.link };
        return save(own, { id, content, summary: summarize(content, rest) });
      });
    },
    /** Throws `chat_not_found`. What was said does not change, and neither does the time of the last change. */
    async arrange(owner: string, id: string, changes: ChatArrangement, signal: AbortSignal): Promise<StoredChat> {
      checkChatId(id);
      return change(owner, { id, signal }, async (own) => {
        const old = await own.read(id);
        if (old === undefined) throw chatNotFound(id);
        const { title = old.summary.title } = changes;
        const revision = old.summary.revision + 1;
        const summary = { ...old.summary, ...placeAfter(old.summary, changes), title, revision };
        return save(own, { id, content: { ...old.content, title }, summary });
      });
    },
    /** False if there is one with this id, which is not changed. */
    async add(
      owner: string,
      { id, content, createdAt = clock.now(), updatedAt = createdAt, arrangement = {} }: ImportedChat,
      signal: AbortSignal,
    ): Promise<boolean> {
      checkChatId(id);
      checkContent(content);
      return change(owner, { id, signal }, async (own) => {
        if ((await own.readSummary(id)) !== undefined) return false;
        const rest = { createdAt, updatedAt, revision: 1, ...placeAfter({}, arrangement) };
        await save(own, { id, content, summary: summarize(content, rest) });
        return true;
      });
    },
    /** Throws `chat_not_found`. */
    async remove(owner: string, id: string, signal: AbortSignal): Promise<void> {
      checkChatId(id);
      const own = ownerOf(owner);
      const { link } = (await own.folder.readSummary(id).catch(warnOfDamage)) ?? {};
      // Without the lock, which a full disk has no room for.
      if (!(await own.turns.run(() => own.folder.remove(id), signal))) throw chatNotFound(id);
      // The link does not work any more, whether its entry is removed or not.
      if (link !== undefined) await sharing.forget(link);
    },
    ...sharing,
  };
}

function createDamageWarning(logger: Logger) {
  return (error: unknown): undefined => {
    logger.warn('left out a conversation', { reason: messageOf(error) });
    return undefined;
  };
}

export type ChatStore = ReturnType<typeof createChatStore>;

function summarize(
  { title = '', model = '', messages = [] }: ChatContent,
  rest: Omit<ChatSummary, 'title' | 'model' | 'messages'>,
): ChatSummary {
  return { title, model, messages: messages.length, ...rest };
}

function checkRevision(id: string, revision: number, old: ChatSummary | undefined): void {
  if (revision === (old?.revision ?? 0)) return;
  const problem =
    old === undefined
      ? 'was deleted; send it without a revision to store it again'
      : `was changed in the meantime: it has revision ${old.revision}, not ${revision}; read it again`;
  throw new HearthError('chat_conflict', `the conversation "${id}" ${problem}`);
}
