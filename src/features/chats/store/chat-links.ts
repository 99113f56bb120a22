// Links to conversations that their owners share: which conversation each one names. An entry alone gives access to nothing:
// the conversation must name the link, too, so that no link works when its conversation is gone.

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { Logger } from '../../../base/logger.ts';
import type { SharedState } from '../../../base/state/shared-state.ts';
import { mapBounded } from '../../../models/store/files/map-bounded.ts';
import { explainError } from './chat-folder.ts';
import { isChatId } from './stored-chat.ts';

export interface LinkTarget {
  readonly owner: string;
  /** The id of the conversation. */
  readonly id: string;
  /** The name of the key or user who shared it; absent without keys. */
  readonly author?: string | undefined;
  /** The shared folder where all users find it; absent: it is in none. */
  readonly folder?: string | undefined;
}

export interface LinkEntry extends LinkTarget {
  readonly link: string;
}

export interface ChatLinks {
  /** In the order of their digits. Entries that cannot be read are left out. */
  list(): Promise<LinkEntry[]>;
  /** Undefined if there is none. */
  read(link: string): Promise<LinkTarget | undefined>;
  write(link: string, target: LinkTarget): Promise<void>;
  /** A link that does not exist is no error. */
  remove(link: string): Promise<void>;
}

// Nobody can guess 160 bits. A link is the name of a file, also where case is ignored.
const linkBytes = 20;
export const linkPattern = /^[0-9a-f]{40}$/;

export function newLink(): string {
  return randomBytes(linkBytes).toString('hex');
}

const maxOpenFiles = 16;

// The name of the folder cannot be that of an owner.
const folderName = '.links';

export function createLinkFiles(chatsFolder: string, logger: Logger): ChatLinks {
  const folder = join(chatsFolder, folderName);
  const pathOf = (link: string): string => join(folder, `${link}.json`);
  const read = async (link: string): Promise<LinkTarget | undefined> =>
    decodeTarget(await undefinedIfMissing(readFile(pathOf(link), 'utf8')), logger);
  return {
    async list() {
      const names = (await undefinedIfMissing(readdir(folder))) ?? [];
      const links = names.map((name) => name.replace(/\.json$/, '')).filter((name) => linkPattern.test(name));
      return mapBounded(links.sort(), maxOpenFiles, async (link) => toEntry(link, await read(link))).then(withoutGaps);
    },
    read,
    async write(link, target) {
      try {
        await makeFolder(folder, { mode: 0o700 });
        await replaceFile(pathOf(link), encodeTarget(target));
      } catch (error) {
        throw explainError(error, 'link', 'saved');
      }
    },
    async remove(link) {
      try {
        await rm(pathOf(link), { force: true });
      } catch (error) {
        throw explainError(error, 'link', 'deleted');
      }
    },
  };
}

export function createSharedLinks(state: Pick<SharedState, 'textsOf'>, logger: Logger): ChatLinks {
  const texts = state.textsOf('chat-link', 'all');
  return {
    async list() {
      const found = [...(await texts.list())].sort((a, b) => (a.id < b.id ? -1 : 1));
      return withoutGaps(found.map(({ id, head }) => toEntry(id, decodeTarget(head, logger))));
    },
    read: async (link) => decodeTarget(await texts.read(link), logger),
    write: (link, target) => texts.write(link, encodeTarget(target), encodeTarget(target)),
    async remove(link) {
      await texts.remove(link);
    },
  };
}

function toEntry(link: string, target: LinkTarget | undefined): LinkEntry | undefined {
  return target && { ...target, link };
}

function withoutGaps(entries: readonly (LinkEntry | undefined)[]): LinkEntry[] {
  return entries.filter((entry) => entry !== undefined);
}

function encodeTarget(target: LinkTarget): string {
  return `${JSON.stringify({ version: 1, ...target })}\n`;
}

/** Undefined if the text was edited by hand or damaged. */
function decodeTarget(text: string | undefined, logger: Logger): LinkTarget | undefined {
  if (text === undefined) return undefined;
  try {
    const { version, owner, id, author, folder } = JSON.parse(text) as Record<string, unknown>;
    if (version !== 1 || typeof owner !== 'string' || typeof id !== 'string' || !isChatId(id))
      throw new Error('it names no conversation');
    const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
    return { owner, id, author: textOf(author), folder: textOf(folder) };
  } catch (error) {
    logger.warn('left out a link to a conversation', { reason: messageOf(error) });
    return undefined;
  }
}
