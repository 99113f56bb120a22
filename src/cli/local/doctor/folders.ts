// The folders that a server writes to.

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../../base/config/settings.ts';
import { stateFolder } from '../../../base/config/state-folder.ts';
import { systemCodeOf } from '../../../base/errors.ts';

export const folderRoles = ['store', 'state', 'cache'] as const;
export type FolderRole = (typeof folderRoles)[number];

export interface ServerFolder {
  readonly role: FolderRole;
  readonly path: string;
}

export function serverFolders({ models, cache, cacheSize }: Settings): ServerFolder[] {
  const folders: ServerFolder[] = [
    { role: 'store', path: models },
    { role: 'state', path: stateFolder() },
  ];
  if (cache === 'off' || cacheSize === 0) return folders;
  return [...folders, { role: 'cache', path: cache === 'auto' ? join(dirname(models), 'cache') : cache.folder }];
}

/** The folder itself, or the one in which it would be created. */
export async function nearestFolder(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}
