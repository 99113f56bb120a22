// Conversations in the state that several servers share. The text of each is that of its file.

import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { SharedTexts } from '../../../base/state/shared-state.ts';
import { decodeChat, decodeSummary } from './chat-file.ts';
import type { ChatEntry, ChatFolder } from './chat-folder.ts';

export function createSharedChats(texts: SharedTexts, logger: Logger): ChatFolder {
  return {
    async list() {
      const entries: ChatEntry[] = [];
      for (const { id, head, bytes } of await texts.list()) {
        try {
          entries.push({ ...decodeSummary(placeOf(id), head), id, bytes });
        } catch (error) {
          logger.warn('left out a conversation', { reason: messageOf(error) });
        }
      }
      return entries;
    },
    async read(id) {
      const text = await texts.read(id);
      return text === undefined ? undefined : { id, ...decodeChat(placeOf(id), text) };
    },
    async readSummary(id) {
      const head = await texts.readHead(id);
      return head === undefined ? undefined : decodeSummary(placeOf(id), head);
    },
    lock: (_id, work) => texts.lock((locked) => work(createSharedChats(locked, logger))),
    write: ({ id, summary }, text) => texts.write(id, JSON.stringify(summary), text),
    remove: (id) => texts.remove(id),
  };
}

function placeOf(id: string): string {
  return `the shared conversation ${id}`;
}
