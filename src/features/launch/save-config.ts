// hearth launch --save: writes the configuration of a program to a file of the user, and keeps the old file.

import { constants } from 'node:fs';
import { copyFile, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../../base/config/load-settings.ts';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { safeText } from '../../cli/output/format.ts';
import { formatConfig, mergeConfigText } from './merge-config.ts';
import type { SavedConfig } from './program.ts';

interface SaveOptions {
  readonly environment: Environment;
  readonly home: string;
  readonly print: (text: string) => void;
}

// Configuration is written by people.
const maxConfigBytes = 2 ** 20;
const newFileMode = 0o600;

/** Says what it writes and where. A file that has these values stays as it is. */
export async function saveConfig(saved: SavedConfig, { environment, home, print }: SaveOptions): Promise<void> {
  const { file, format, values, usage } = saved;
  const path = join(environment[file.variable] || join(home, file.folder), file.name);
  const former = await readFormer(path);
  const text = mergeFormer({ path, former: former?.text ?? '', saved });
  if (text === undefined) {
    print(`${safeText(path)} has this configuration already. \`${usage}\` uses it.\n`);
    return;
  }
  const backup = former === undefined ? undefined : await keepBackup(former.path);
  const note = backup === undefined ? '' : `; the old file is ${safeText(backup)}`;
  print(`Adding to ${safeText(path)}${note}:\n${safeText(formatConfig(format, values))}\n`);
  await replaceFile(former?.path ?? path, text, former?.mode ?? newFileMode);
  print(`\`${usage}\` uses this configuration from now on.\n`);
}

interface FormerFile {
  /** Without symbolic links, which stay. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

async function readFormer(given: string): Promise<FormerFile | undefined> {
  try {
    const path = await realpath(given);
    const { size, mode } = await stat(path);
    if (size > maxConfigBytes) throw new HearthError('bad_configuration', `${safeText(given)} is larger than 1 MiB`);
    return { path, text: await readFile(path, 'utf8'), mode };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

interface Merging {
  readonly path: string;
  readonly former: string;
  readonly saved: SavedConfig;
}

function mergeFormer({ path, former, saved: { format, values } }: Merging): string | undefined {
  try {
    return mergeConfigText(former, format, values);
  } catch (error) {
    const reason = `${safeText(path)} cannot be changed, because it is not plain ${format.toUpperCase()}: ${messageOf(error)}`;
    throw new HearthError(
      'bad_configuration',
      `${reason}. Add this to it yourself, and leave out --save:\n${formatConfig(format, values)}`,
      { cause: error },
    );
  }
}

/** A copy under a new name next to the file. */
async function keepBackup(path: string): Promise<string> {
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
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const temporary = `${path}.new-${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
