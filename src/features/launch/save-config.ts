// Writes the configuration of a program to its file, and keeps the old one.

import { digestOf } from '../../base/digest.ts';
import { HearthError, messageOf } from '../../base/errors.ts';
import { safeText } from '../../cli/output/format.ts';
import { type ConfigPlaces, keepBackup, pathOf, readFormer, writeConfig } from './config-files.ts';
import { LaunchRecord } from './launch-record.ts';
import { formatConfig, mergeConfigText } from './merge-config.ts';
import type { LaunchTarget, SavedConfig } from './program.ts';

interface Saving {
  readonly target: LaunchTarget;
  readonly places: ConfigPlaces;
  readonly print: (text: string) => void;
}

const newFileMode = 0o600;

/** Says what it writes and where. A file that has these values stays as it is. */
export async function saveConfig(file: SavedConfig, { target, places, print }: Saving): Promise<void> {
  const record = await LaunchRecord.open(places.recordFile);
  const used = `\`${safeText(file.usage(target))}\``;
  const given = pathOf(file, places);
  const values = file.values(target);
  const former = await readFormer(given);
  const text = mergeFormer(given, former?.text ?? '', file, values);
  if (text === undefined) {
    print(`${safeText(given)} has this configuration already. ${used} uses it.\n`);
    return;
  }
  const written = record.find(given);
  // What was written last needs no copy.
  const isOwn = former === undefined || digestOf(former.text) === written?.digest;
  const backup = isOwn ? undefined : await keepBackup(former.path);
  const note = backup === undefined ? '' : `; the old file is ${safeText(backup)}`;
  print(`Adding to ${safeText(given)}${note}:\n${safeText(formatConfig(file.format, values))}\n`);
  await record.set(given, { backup: written === undefined ? backup : written.backup, digest: digestOf(text) });
  await writeConfig(former?.path ?? given, text, former?.mode ?? newFileMode);
  print(`${used} uses this configuration from now on.\n`);
}

function mergeFormer(
  path: string,
  former: string,
  { format, defaults }: SavedConfig,
  values: ReturnType<SavedConfig['values']>,
): string | undefined {
  try {
    return mergeConfigText(former, format, values, defaults);
  } catch (error) {
    const reason = `${safeText(path)} cannot be changed, because it is not plain ${format.toUpperCase()}: ${messageOf(error)}`;
    throw new HearthError(
      'bad_configuration',
      `${reason}. Add this to it yourself:\n${safeText(formatConfig(format, values))}`,
      { cause: error },
    );
  }
}
