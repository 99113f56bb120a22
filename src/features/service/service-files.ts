// The files of a service. A user's file with the same name is kept, and comes back when the service is removed.

import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/files/make-folder.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { type ServiceFile, serviceMark } from './service-manager.ts';

export async function planFile({ path, mode, text: write }: ServiceFile) {
  const former = await undefinedIfMissing(readFile(path, 'utf8'));
  const text = write(former ?? '');
  const isForeign = former !== undefined && !former.includes(serviceMark) && former !== text;
  return {
    path,
    mode,
    text,
    hasChanged: former !== text,
    /** Where the user's file is kept, if there is one. */
    backup: isForeign ? backupOf(path) : undefined,
  };
}

export type PlannedFile = Awaited<ReturnType<typeof planFile>>;

export async function writeServiceFile({ path, mode, text, backup }: PlannedFile): Promise<void> {
  await makeFolder(dirname(path));
  if (backup !== undefined && (await undefinedIfMissing(readFile(backup, 'utf8'))) === undefined)
    await rename(path, backup);
  const temporary = `${path}.new-${process.pid}`;
  await writeFile(temporary, text, { mode });
  // The mode of a new file is reduced by the umask of the user.
  await chmod(temporary, mode);
  await rename(temporary, path);
}

export async function removeServiceFile(path: string): Promise<'restored' | 'removed' | 'absent'> {
  if ((await undefinedIfMissing(readFile(backupOf(path), 'utf8'))) !== undefined) {
    await rename(backupOf(path), path);
    return 'restored';
  }
  const text = await undefinedIfMissing(readFile(path, 'utf8'));
  // A user's file stays.
  if (text === undefined || !text.includes(serviceMark)) return 'absent';
  await rm(path);
  return 'removed';
}

function backupOf(path: string): string {
  return `${path}.before-hearth`;
}
