// Searches the titles and messages of conversations, the newest first, for a bounded time.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { ChatEntry } from './chat-folder.ts';
import type { StoredChat } from './stored-chat.ts';

export interface FoundChats {
  readonly chats: readonly ChatEntry[];
  /** False: the time was over before all conversations were searched. */
  readonly complete: boolean;
}

interface SearchOptions {
  readonly text: string;
  /** Undefined if it was deleted in the meantime. */
  readonly read: (id: string) => Promise<StoredChat | undefined>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly signal: AbortSignal;
}

const maxSearchMs = 2000;

export async function searchChats(
  entries: readonly ChatEntry[],
  { text, read, clock, signal }: SearchOptions,
): Promise<FoundChats> {
  const wanted = text.toLowerCase();
  const contains = (part: string): boolean => part.toLowerCase().includes(wanted);
  const isInMessages = (id: string): Promise<boolean> =>
    read(id)
      .then((chat) => textsOf(chat).some(contains))
      // A damaged file has nothing to find.
      .catch(() => false);
  const end = clock.monotonic() + maxSearchMs * nanosecondsPerMillisecond;
  const chats: ChatEntry[] = [];
  for (const entry of entries) {
    if (signal.aborted || clock.monotonic() > end) return { chats, complete: false };
    if (contains(entry.title) || (await isInMessages(entry.id))) chats.push(entry);
  }
  return { chats, complete: true };
}

function textsOf(chat: StoredChat | undefined): string[] {
  return (chat?.content.messages ?? []).flatMap(({ content }) => (content === undefined ? [] : [content]));
}
