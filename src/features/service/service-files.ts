// The files of a service. A user's file with the same name is kept, and comes back when the service is removed.

import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { type ServiceFile, serviceMark } from './service-manager.ts';

export async function planFile({ path, mode, text: write }: ServiceFile) {
  const former = await readIfPresent(path);
  const text = write(former ?? '');
  const isForeign = former !== undefined && !former.includes(serviceMark) && former !== text;
  return {
    path,
    mode,
    text,
    hasChanged: former !== text /** Where the user's file is kept, if there is one. */,
    backup: isForeign ? backupOf(path) : undefined,
  };
}

export type PlannedFile = Awaited<ReturnType<typeof planFile>>;

export async function writeServiceFile({ path, mode, text, backup }: PlannedFile): Promise<void> {
  await makeFolder(dirname(path));
  if (backup !== undefined && (await readIfPresent(backup)) === undefined) await rename(path, backup);
  const temporary = `${path}.new-${process.pid}`;
  await writeFile(temporary, text, { mode });
  // The mode of a new file is reduced by the umask of the user.
  await chmod(temporary, mode);
  await rename(temporary, path);
}

export async function removeServiceFile(path: string): Promise<'restored' | 'removed' | 'absent'> {
  if ((await readIfPresent(backupOf(path))) !== undefined) {
    await rename(backupOf(path), path);
    return 'restored';
  }
  const text = await readIfPresent(path);
  // A user's file stays.
  if (text === undefined || !text.includes(serviceMark)) return 'absent';
  await rm(path);
  return 'removed';
}

function backupOf(path: string): string {
  return `${path}.before-hearth`;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return undefined;
    throw error;
  }
}
