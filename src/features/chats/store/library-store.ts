// The presets and prompts of each owner: one text next to the conversations.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { SharedState } from '../../../base/state/shared-state.ts';
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

/** Where the libraries are: files of this machine, or texts that several servers share. */
interface LibraryHome {
  /** Undefined if there is none. */
  read(owner: string): Promise<string | undefined>;
  /** Replaces the text by that of `edit`, while no other process does so. */
  replace(owner: string, edit: (text: string | undefined) => string): Promise<void>;
}

export function createLibraryFiles(folder: string, clock: Clock): LibraryHome {
  const pathOf = (owner: string): string => join(folder, owner, fileName);
  const read = (owner: string) => undefinedIfMissing(readFile(pathOf(owner), 'utf8'));
  return {
    read,
    async replace(owner, edit) {
      try {
        await makeFolder(join(folder, owner), { mode: 0o700 });
        await withLock(`${pathOf(owner)}.lock`, clock, async () => replaceFile(pathOf(owner), edit(await read(owner))));
      } catch (error) {
        throw explainError(error, 'library', 'saved');
      }
    },
  };
}

export function createSharedLibraries(state: Pick<SharedState, 'textsOf'>): LibraryHome {
  const id = 'library';
  return {
    read: (owner) => state.textsOf('library', owner).read(id),
    replace: (owner, edit) =>
      state.textsOf('library', owner).lock(async (texts) => texts.write(id, '', edit(await texts.read(id)))),
  };
}

export function createLibraryStore(home: LibraryHome) {
  const turns = createTurns(maxWaitingChanges);

  return {
    read: async (owner: string): Promise<Library> => decode(owner, await home.read(owner)),
    /** Resolves with the new revision. Throws `chat_conflict` if `library` is not based on the current one. */
    async write(owner: string, library: Library, signal: AbortSignal): Promise<number> {
      checkIds('presets', library.presets);
      checkIds('prompts', library.prompts);
      checkNesting(library);
      const edit = (text: string | undefined): string => {
        const { revision } = decode(owner, text);
        if (revision !== library.revision)
          throw new HearthError(
            'chat_conflict',
            `the library was changed in the meantime: it has revision ${revision}, not ${library.revision}; read it again`,
          );
        return `${JSON.stringify({ version: 1, ...library, revision: revision + 1 })}\n`;
      };
      await turns.run(() => home.replace(owner, edit), signal);
      return library.revision + 1;
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
function decode(owner: string, text: string | undefined): Library {
  if (text === undefined) return { presets: [], prompts: [], revision: 0 };
  try {
    const { version, presets, prompts, revision } = JSON.parse(text) as Library & { readonly version?: unknown };
    if (version !== 1 || !Number.isSafeInteger(revision) || !Array.isArray(presets) || !Array.isArray(prompts))
      throw new Error('it is no library');
    return { presets, prompts, revision };
  } catch (error) {
    throw new HearthError('store_damaged', `the library of ${owner} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
