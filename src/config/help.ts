// The help text of `serve`, made from the table of settings.

import { environmentName, flagName, settingKeys, settingTable } from './settings.ts';

export function usage(): string {
  const flags = settingKeys.map((key) => {
    const { kind, default: byDefault, help } = settingTable[key];
    const shown = byDefault === '' ? '' : ` (default ${byDefault})`;
    return `  --${flagName(key)} <${kind.name}>\n      ${help}${shown}\n      ${environmentName(key)}`;
  });
  return `Usage: hearth serve [flags]

Serves language models over HTTP.

Example:
  hearth serve --host 0.0.0.0:11434 --keep-alive 30m

Flags, with the environment variable of each; a file given with --config (default ~/.hearth/config.toml) can set them
too, and flags win over the file, the file over the environment:
${flags.join('\n')}
  --config <path>
      A TOML file with settings, named as the variables are, in lower case and without HEARTH_.
      HEARTH_CONFIG

Other commands:
  hearth verify [--repair] [--models <path>]
      Re-reads every blob of the store and says what is damaged, missing or left over; --repair removes what is of no use.
  hearth key
      Prints the public half of this installation's key, to register with a library.
  hearth library serve [flags]
      Serves models to a team, as a library of its own; hearth library --help says more.
  hearth version, hearth help`;
}
