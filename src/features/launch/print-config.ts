// hearth launch --config: what a launch would pass to a program and write to its files. The key of the user is not shown.

import { safeLine, safeText } from '../../cli/output/format.ts';
import { type ConfigPlaces, pathOf } from './config-files.ts';
import { formatConfig } from './merge-config.ts';
import type { LaunchTarget, Program } from './program.ts';

interface ConfigInput {
  readonly target: LaunchTarget;
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly save: boolean;
  readonly places: ConfigPlaces;
}

const shownKey = '<your key>';

export function describeConfig(program: Program, { target, args: given, save, places }: ConfigInput): string {
  const shown = { ...target, key: target.key === undefined ? undefined : shownKey };
  const { environment, args = [] } = program.configure(shown);
  const file = save || program.needsFile ? program.saved : undefined;
  const added =
    file && `Added to ${safeText(pathOf(file, places))}:\n${safeText(formatConfig(file.format, file.values(shown)))}\n`;
  const variables = Object.entries(environment).map(([name, value]) => `  ${name}=${safeLine(value)}\n`);
  const words = [...args, ...(given.length > 0 ? given : (program.defaultArgs ?? []))];
  const command = [program.command, ...words.map(quote)].join(' ');
  return [
    added ?? '',
    ...(variables.length > 0 ? ['Variables:\n', ...variables] : []),
    `Command:\n  ${safeLine(command)}\n`,
  ].join('');
}

/** As a shell would need it. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
