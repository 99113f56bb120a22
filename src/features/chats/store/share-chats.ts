// Sharing conversations by links.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { encodeChat } from './chat-file.ts';
import type { ChatFolder } from './chat-folder.ts';
import { checkLinkCount } from './chat-limits.ts';
import { type ChatLinks, type LinkTarget, linkPattern, newLink } from './chat-links.ts';
import { createLinkLists } from './list-links.ts';
import { type ChatSummary, checkChatId, type StoredChat } from './stored-chat.ts';

interface Turn {
  readonly id: string;
  readonly signal: AbortSignal;
}

export type ChangeChat = <Result>(
  owner: string,
  turn: Turn,
  work: (own: ChatFolder) => Promise<Result>,
) => Promise<Result>;

interface SharingOptions {
  readonly links: ChatLinks;
  /** The links of other owners do not work. */
  readonly hasAccess: (owner: string) => boolean;
  readonly folderOf: (owner: string) => ChatFolder;
  readonly change: ChangeChat;
  readonly save: (own: ChatFolder, chat: StoredChat) => Promise<StoredChat>;
  readonly warnOfDamage: (error: unknown) => undefined;
  readonly logger: Logger;
}

interface ShareOptions {
  /** The name that readers see. */
  readonly author?: string | undefined;
  readonly signal: AbortSignal;
}

interface FolderOptions extends ShareOptions {
  /** The name of the shared folder; empty: none. */
  readonly folder: string;
}

export function createSharing({ links, hasAccess, folderOf, change, save, warnOfDamage, logger }: SharingOptions) {
  const undefinedIfDamaged = (error: unknown): undefined => {
    if (!(error instanceof HearthError) || error.code !== 'store_damaged') throw error;
    return warnOfDamage(error);
  };
  /** Throws `chat_not_found`. */
  const readLink = async (owner: string, id: string): Promise<string | undefined> => {
    const summary = await folderOf(owner).readSummary(checkChatId(id));
    if (summary === undefined) throw chatNotFound(id);
    return summary.link;
  };
  const targetOf = async (link: string): Promise<LinkTarget | undefined> =>
    linkPattern.test(link) ? links.read(link) : undefined;
  const summaryOf = ({ owner, id }: LinkTarget): Promise<ChatSummary | undefined> =>
    folderOf(owner).readSummary(id).catch(undefinedIfDamaged);
  const end = async (link: string, target: LinkTarget, signal: AbortSignal): Promise<void> => {
    const { owner, id } = target;
    // The link ends here, also on a full disk, which has no room for the conversation.
    await links.remove(link);
    // An entry that was edited by hand can name any folder, and nothing is written there.
    if ((await summaryOf(target))?.link !== link) return;
    await change(owner, { id, signal }, async (own) => {
      const chat = await own.read(id);
      if (chat?.summary.link !== link) return;
      const unshared = { ...chat, summary: { ...chat.summary, link: undefined } };
      // Without limits, which may have been lowered.
      await own.write(unshared, encodeChat(unshared));
    });
  };
  /** Removes an entry that gives access to nothing. */
  const forget = (link: string): Promise<void> =>
    links.remove(link).catch((error) => logger.warn('a link was not removed', { reason: messageOf(error) }));
  /**
   * Resolves with the link of the conversation, which is created if there is none. Neither the revision nor the time of the
   * last change is another one. Throws `chat_not_found`.
   */
  const share = async (owner: string, id: string, { author, signal }: ShareOptions): Promise<string> => {
    const old = await readLink(owner, id);
    // A link without an entry was revoked, and must not work again.
    if (old !== undefined && (await links.read(old)) !== undefined) return old;
    const link = newLink();
    // Before the conversation names it: after a crash, the entry gives access to nothing.
    await links.write(link, { owner, id, author });
    try {
      const named = await change(owner, { id, signal }, async (own) => {
        const chat = await own.read(id);
        if (chat === undefined) throw chatNotFound(id);
        const { link: current } = chat.summary;
        // Another request has shared it meanwhile.
        if (current !== undefined && current !== old) return current;
        checkLinkCount(await own.list());
        await save(own, { ...chat, summary: { ...chat.summary, link } });
        return link;
      });
      if (named !== link) await forget(link);
      return named;
    } catch (error) {
      await forget(link);
      throw error;
    }
  };
  return {
    ...createLinkLists({ links, hasAccess, summaryOf }),
    forget,
    share,
    /** Ends the link, if there is one. Throws `chat_not_found`. */
    async stopSharing(owner: string, id: string, signal: AbortSignal): Promise<void> {
      const link = await readLink(owner, id);
      if (link === undefined) return;
      await end(link, { owner, id }, signal);
    },
    /** Throws `link_not_found`, whatever the reason is. */
    async readShared(link: string): Promise<{ readonly chat: StoredChat; readonly author?: string | undefined }> {
      const target = await targetOf(link);
      const isRead = target !== undefined && hasAccess(target.owner);
      const chat = isRead ? await folderOf(target.owner).read(target.id).catch(undefinedIfDamaged) : undefined;
      if (chat?.summary.link !== link) throw linkNotFound();
      return { chat, author: target?.author };
    },
    /**
     * Puts a conversation into a shared folder, where all users find its link, or takes it out if the name is empty. Resolves
     * with the link, which is created if there is none. Throws `chat_not_found`.
     */
    async putIntoFolder(owner: string, id: string, { folder, ...options }: FolderOptions): Promise<string> {
      const link = await share(owner, id, options);
      await change(owner, { id, signal: options.signal }, async (own) => {
        const target = (await own.readSummary(id))?.link === link ? await links.read(link) : undefined;
        // A link that was ended meanwhile must not work again.
        if (target !== undefined) await links.write(link, { ...target, folder: folder.trim() || undefined });
      });
      return link;
    },
    /** Ends the link of any owner. Throws `link_not_found`. */
    async endLink(link: string, signal: AbortSignal): Promise<void> {
      const target = await targetOf(link);
      if (target === undefined) throw linkNotFound();
      await end(link, target, signal);
    },
  };
}

function linkNotFound(): HearthError {
  return new HearthError('link_not_found', 'no conversation is shared by this link, or not any more');
}

export function chatNotFound(id: string): HearthError {
  return new HearthError('chat_not_found', `there is no conversation "${id}"`);
}
