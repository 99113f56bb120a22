// The files of programs on this machine: where they are, and how they are read, kept and replaced.

import { constants } from 'node:fs';
import { copyFile, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Environment, processEnvironment } from '../../base/config/environment.ts';
import { stateFolder } from '../../base/config/state-folder.ts';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { safeText } from '../../cli/output/format.ts';
import type { SavedConfig } from './program.ts';

/** What says where the files of the user are, and where the launches are recorded. */
export interface ConfigPlaces {
  readonly environment: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly recordFile: string;
}

export function currentPlaces(): ConfigPlaces {
  return {
    environment: processEnvironment,
    home: homedir(),
    platform: process.platform,
    recordFile: join(stateFolder(), 'launch.json'),
  };
}

export function pathOf(
  { folder, elsewhere, name }: SavedConfig,
  { environment, home, platform }: ConfigPlaces,
): string {
  const { variable, folder: inHome } = elsewhere?.[platform] ?? folder;
  const named = variable === undefined ? undefined : environment[variable];
  return join(named || join(home, inHome), name);
}

interface FormerFile {
  /** Without symbolic links, which stay. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

// Configuration is written by people.
const maxConfigBytes = 2 ** 20;

export async function readFormer(given: string): Promise<FormerFile | undefined> {
  const path = await undefinedIfMissing(realpath(given));
  if (path === undefined) return undefined;
  const { size, mode } = await stat(path);
  if (size > maxConfigBytes) throw new HearthError('bad_configuration', `${safeText(given)} is larger than 1 MiB`);
  return { path, text: await readFile(path, 'utf8'), mode };
}

/** A copy under a new name next to the file. */
export async function keepBackup(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const backup = `${path}.backup-${number}`;
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** The file is complete at any time. */
export async function writeConfig(path: string, text: string, mode: number): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const temporary = `${path}.new-${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
