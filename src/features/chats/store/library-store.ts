// The presets and prompts of each owner: one file next to the conversations.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createTurns } from '../../../base/turns.ts';
import { explainError } from './chat-folder.ts';
import { withLock } from './lock-chat.ts';
import { checkNesting } from './stored-chat.ts';

interface Entry {
  readonly id: string;
}

interface Library {
  readonly presets: readonly Entry[];
  readonly prompts: readonly Entry[];
  readonly revision: number;
}

/** A body with this size has at most as many bytes in its file, except for spaces. */
export const maxLibraryBytes = 2 ** 20;
const maxWaitingChanges = 100;
// The name cannot be that of a conversation.
const fileName = '.library.json';

export function createLibraryStore(folder: string, clock: Clock) {
  const turns = createTurns(maxWaitingChanges);
  const pathOf = (owner: string): string => join(folder, owner, fileName);

  const read = async (owner: string): Promise<Library> => {
    const text = await undefinedIfMissing(readFile(pathOf(owner), 'utf8'));
    return text === undefined ? { presets: [], prompts: [], revision: 0 } : decode(pathOf(owner), text);
  };

  return {
    read,
    /** Resolves with the new revision. Throws `chat_conflict` if `library` is not based on the current one. */
    async write(owner: string, library: Library, signal: AbortSignal): Promise<number> {
      checkIds('presets', library.presets);
      checkIds('prompts', library.prompts);
      checkNesting(library);
      const replace = async (): Promise<number> => {
        const { revision } = await read(owner);
        if (revision !== library.revision)
          throw new HearthError(
            'chat_conflict',
            `the library was changed in the meantime: it has revision ${revision}, not ${library.revision}; read it again`,
          );
        const next = { version: 1, ...library, revision: revision + 1 };
        await replaceFile(pathOf(owner), `${JSON.stringify(next)}\n`);
        return next.revision;
      };
      const lockAndReplace = async (): Promise<number> => {
        try {
          await makeFolder(join(folder, owner), { mode: 0o700 });
          return await withLock(`${pathOf(owner)}.lock`, clock, replace);
        } catch (error) {
          throw explainError(error, 'library', 'saved');
        }
      };
      return turns.run(lockAndReplace, signal);
    },
  };
}

export type LibraryStore = ReturnType<typeof createLibraryStore>;

function checkIds(list: string, entries: readonly Entry[]): void {
  const known = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (known.has(id)) throw new HearthError('bad_request', `${list}[${index}].id: another entry has this id`);
    known.add(id);
  }
}

/** The file may have been edited by hand or damaged. */
function decode(path: string, text: string): Library {
  try {
    const { version, presets, prompts, revision } = JSON.parse(text) as Library & { readonly version?: unknown };
    if (version !== 1 || !Number.isSafeInteger(revision) || !Array.isArray(presets) || !Array.isArray(prompts))
      throw new Error('it is no library');
    return { presets, prompts, revision };
  } catch (error) {
    throw new HearthError('store_damaged', `the file ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
