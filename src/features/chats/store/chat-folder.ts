// The conversations of one owner: a folder with one file each. Other processes may change it, too.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { Logger } from '../../../base/logger.ts';
import { describeSystemError } from '../../../base/process/system-error.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createFileCache } from '../../../models/store/files/file-cache.ts';
import { mapBounded } from '../../../models/store/files/map-bounded.ts';
import { readChatFile, readFirstLine } from './chat-file.ts';
import { withLock } from './lock-chat.ts';
import { type ChatSummary, isChatId, type StoredChat } from './stored-chat.ts';

export interface ChatEntry extends ChatSummary {
  readonly id: string;
  /** The size of the file. */
  readonly bytes: number;
}

const suffix = '.json';
const maxOpenFiles = 16;

interface ChatFolderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The conversations of one owner: files of this machine, or texts that several servers share. */
export interface ChatFolder {
  /** Conversations that cannot be read are left out. */
  list(): Promise<ChatEntry[]>;
  /** Undefined if there is none. */
  read(id: string): Promise<StoredChat | undefined>;
  readSummary(id: string): Promise<ChatSummary | undefined>;
  /** Runs `work`, which may change the conversation in the folder that it gets, while no other process does so. */
  lock<Result>(id: string, work: (own: ChatFolder) => Promise<Result>): Promise<Result>;
  /** `text` is the encoded conversation. */
  write(chat: StoredChat, text: string): Promise<void>;
  /** False if there is none. */
  remove(id: string): Promise<boolean>;
}

export function createChatFolder(folder: string, { clock, logger }: ChatFolderOptions): ChatFolder {
  const cache = createFileCache<ChatEntry>(clock);
  const pathOf = (id: string): string => join(folder, `${id}${suffix}`);

  const readEntry = async (id: string): Promise<ChatEntry | undefined> => {
    const path = pathOf(id);
    const cached = cache.get(path);
    if (cached) return cached.value;
    try {
      const { summary, info } = await readFirstLine(path);
      const entry = { ...summary, id, bytes: info.size };
      cache.set(path, info, entry);
      return entry;
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') logger.warn('left out a conversation', { reason: messageOf(error) });
      return undefined;
    }
  };

  const own: ChatFolder = {
    async list() {
      const names = (await undefinedIfMissing(readdir(folder))) ?? [];
      const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
      const entries = await mapBounded(ids.filter(isChatId), maxOpenFiles, readEntry);
      return entries.filter((entry) => entry !== undefined);
    },
    read: (id) => undefinedIfMissing(readChatFile(pathOf(id)).then((file) => ({ id, ...file }))),
    readSummary: (id) => undefinedIfMissing(readFirstLine(pathOf(id)).then(({ summary }) => summary)),
    async lock(id, work) {
      try {
        await makeFolder(folder, { mode: 0o700 });
        return await withLock(join(folder, `${id}.lock`), clock, () => work(own));
      } catch (error) {
        throw explainError(error, 'conversation', 'saved');
      }
    },
    async write({ id }, text) {
      try {
        await replaceFile(pathOf(id), text);
      } catch (error) {
        throw explainError(error, 'conversation', 'saved');
      }
    },
    async remove(id) {
      try {
        cache.delete(pathOf(id));
        await rm(pathOf(id));
        return true;
      } catch (error) {
        if (systemCodeOf(error) === 'ENOENT') return false;
        throw explainError(error, 'conversation', 'deleted');
      }
    },
  };
  return own;
}

const codes: Readonly<Record<string, 'disk_full' | 'store_read_only'>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'store_read_only',
  EACCES: 'store_read_only',
  EPERM: 'store_read_only',
};

/** Replaces errors that the operator can fix by a sentence. */
export function explainError(error: unknown, thing: string, what: 'saved' | 'deleted'): unknown {
  const code = codes[systemCodeOf(error) ?? ''];
  if (code === undefined) return error;
  return new HearthError(code, `the ${thing} was not ${what}: ${describeSystemError(error)}`, { cause: error });
}
