// Where conversations are stored, and their limits.

import { join } from 'node:path';
import type { Settings } from '../../base/config/settings.ts';
import { stateFolder } from '../../base/config/state-folder.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type ChatStore, createChatStore } from '../chats/chat-store.ts';

export interface ChatsParts {
  readonly settings: Pick<Settings, 'chats' | 'chatSize' | 'maxChats' | 'chatStorage'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Undefined: they are not stored. */
export function createChats({ settings, clock, logger }: ChatsParts): ChatStore | undefined {
  const { chats, chatSize: maxBytes, maxChats, chatStorage: maxTotalBytes } = settings;
  if (chats === 'off') return undefined;
  const folder = chats === 'auto' ? join(stateFolder(), 'chats') : chats.folder;
  return createChatStore({ folder, maxBytes, maxChats, maxTotalBytes, clock, logger });
}
