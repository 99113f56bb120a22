// What one owner can store and share. What exceeds a limit is refused.

import { HearthError } from '../../../base/errors.ts';
import type { ChatEntry } from './chat-folder.ts';

export interface ChatLimits {
  /** Bytes of one conversation. */
  readonly maxBytes: number;
  /** The limit for each owner. */
  readonly maxChats: number;
  /** Bytes of all conversations of an owner. */
  readonly maxTotalBytes: number;
}

/** Conversations that an owner shares. */
const maxLinks = 500;

/** Throws `body_too_large` or `chats_full`. */
export function checkLimits(
  { maxBytes, maxChats, maxTotalBytes }: ChatLimits,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  entries: readonly ChatEntry[],
): void {
  if (bytes > maxBytes) {
    const message = `the conversation has ${toMebibytes(bytes)} MiB, more than the ${toMebibytes(maxBytes)} MiB of HEARTH_CHAT_SIZE`;
    throw new HearthError('body_too_large', `${message}; remove images or messages from it`);
  }
  const old = entries.find((entry) => entry.id === id);
  if (old === undefined && entries.length >= maxChats)
    throw new HearthError(
      'chats_full',
      `there are already ${entries.length} conversations, and HEARTH_MAX_CHATS is ${maxChats}; delete some`,
    );
  const added = bytes - (old?.bytes ?? 0);
  const total = entries.reduce((sum, entry) => sum + entry.bytes, added);
  // A conversation that becomes smaller is always stored.
  if (total > maxTotalBytes && added > 0)
    throw new HearthError(
      'chats_full',
      `all conversations together would have ${toMebibytes(total)} MiB, more than the ${toMebibytes(maxTotalBytes)} MiB of HEARTH_CHAT_STORAGE; delete some`,
    );
}

/** Throws `chats_full`. */
export function checkLinkCount(entries: readonly ChatEntry[]): void {
  if (entries.filter(({ link }) => link !== undefined).length >= maxLinks)
    throw new HearthError(
      'chats_full',
      `there are already ${maxLinks} shared conversations, which is the limit; stop sharing some`,
    );
}

/** With one decimal. */
function toMebibytes(bytes: number): number {
  return Math.round((bytes / 2 ** 20) * 10) / 10;
}
