// hearth launch --restore: puts the file of a program back as it was before the first launch.

import { access, rename, rm } from 'node:fs/promises';
import { digestOf } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { safeText } from '../../cli/output/format.ts';
import { type ConfigPlaces, keepBackup, pathOf, readFormer } from './config-files.ts';
import { LaunchRecord } from './launch-record.ts';
import type { SavedConfig } from './program.ts';

interface Restoring {
  readonly places: ConfigPlaces;
  readonly print: (text: string) => void;
}

/** Says what it does. A file that was changed after the last launch is kept under another name. */
export async function restoreConfig(file: SavedConfig, { places, print }: Restoring): Promise<void> {
  const record = await LaunchRecord.open(places.recordFile);
  const given = pathOf(file, places);
  const written = record.find(given);
  if (written === undefined) {
    print(`${safeText(given)} stays as it is: hearth launch has not written it.\n`);
    return;
  }
  const { backup } = written;
  if (backup !== undefined) await checkBackup(backup);
  const current = await readFormer(given);
  const isChanged = current !== undefined && digestOf(current.text) !== written.digest;
  const kept = isChanged ? await keepBackup(current.path) : undefined;
  const path = current?.path ?? given;
  if (backup === undefined) await rm(path, { force: true });
  else await rename(backup, path);
  await record.delete(given);
  const done =
    backup === undefined
      ? `Removed ${safeText(given)}, which hearth launch had created`
      : `Put ${safeText(given)} back as it was before hearth launch`;
  print(`${done}${kept === undefined ? '' : `; it was changed since then, and that file is ${safeText(kept)}`}.\n`);
}

async function checkBackup(backup: string): Promise<void> {
  try {
    await access(backup);
  } catch (error) {
    const message = `the old file ${safeText(backup)} cannot be read; nothing was changed`;
    throw new HearthError('bad_configuration', message, { cause: error });
  }
}
