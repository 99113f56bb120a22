// Finds the file of a program: in PATH, or where its installer puts it.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { processEnvironment } from '../../base/config/environment.ts';
import type { Program } from './program.ts';

interface SearchPlaces {
  /** The value of PATH. */
  readonly path: string;
  readonly home: string;
  readonly platform: string;
}

/** npm installs scripts there. */
const windowsExtensions = ['.exe', '.cmd', '.bat'];

export async function findProgram(
  { command, folders = [] }: Pick<Program, 'command' | 'folders'>,
  { path, home, platform }: SearchPlaces = currentPlaces(),
): Promise<string | undefined> {
  // An empty entry is the current folder, in which a project could place a program of the same name.
  const searched = [
    ...path.split(delimiter).filter((folder) => folder !== ''),
    ...folders.map((folder) => resolve(home, folder)),
  ];
  const names = platform === 'win32' ? windowsExtensions.map((extension) => `${command}${extension}`) : [command];
  for (const file of searched.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isExecutable(file)) return file;
  return undefined;
}

function currentPlaces(): SearchPlaces {
  return { path: processEnvironment['PATH'] ?? '', home: homedir(), platform: process.platform };
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
