// Searches the titles and messages of conversations, the newest first, for a bounded time.

import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { ChatEntry } from './chat-folder.ts';
import type { StoredChat } from './stored-chat.ts';

export interface FoundChat extends ChatEntry {
  /** The text around the first place in a message; absent if the title contains the text. */
  readonly snippet?: string;
}

export interface FoundChats {
  readonly chats: readonly FoundChat[];
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
  const findInMessages = (id: string): Promise<string | undefined> =>
    read(id)
      .then((chat) => textsOf(chat).find(contains))
      // A damaged file has nothing to find.
      .catch(() => undefined);
  const end = clock.monotonic() + maxSearchMs * nanosecondsPerMillisecond;
  const chats: FoundChat[] = [];
  for (const entry of entries) {
    if (signal.aborted || clock.monotonic() > end) return { chats, complete: false };
    if (contains(entry.title)) chats.push(entry);
    else {
      const message = await findInMessages(entry.id);
      if (message !== undefined) chats.push({ ...entry, snippet: toSnippet(message, wanted) });
    }
  }
  return { chats, complete: true };
}

const charactersBefore = 40;
const charactersAfter = 120;
// White space may become shorter, so that more of the text fits.
const maxSource = 1000;

/** Some words around the first place of `wanted`, which is in lower case, in one line. */
export function toSnippet(text: string, wanted: string): string {
  // Lower case can be a little longer than the text, as with some Turkish letters.
  const at = Math.min(text.toLowerCase().indexOf(wanted), text.length);
  const start = at <= charactersBefore ? 0 : text.lastIndexOf(' ', at - charactersBefore / 2) + 1;
  const from = at - start > charactersBefore ? at - charactersBefore : start;
  const line = text
    .slice(from, from + maxSource)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = line.slice(0, charactersBefore + wanted.length + charactersAfter);
  const isCut = shown.length < line.length || from + maxSource < text.length;
  // A character of two units may have been cut.
  const whole = shown.replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${from > 0 ? '…' : ''}${whole}${isCut ? '…' : ''}`;
}

function textsOf(chat: StoredChat | undefined): string[] {
  return (chat?.content.messages ?? []).flatMap(({ content }) => (content === undefined ? [] : [content]));
}
