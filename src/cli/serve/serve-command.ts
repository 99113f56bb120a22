// hearth serve: every server setting is a flag.

import type { SettingSources } from '../../settings/load-settings.ts';
import { settingGroups } from '../../settings/setting-groups.ts';
import {
  aliasesOf,
  environmentName,
  flagName,
  type SettingKey,
  serverSettingKeys,
  settingTable,
} from '../../settings/setting-table.ts';
import type { CommandInput, CommandSpec, OptionSpec } from '../command.ts';

export const serveCommand: CommandSpec = {
  name: 'serve',
  alias: 'start',
  summary: 'Start the server',
  description:
    'Each flag can also be set by the environment variable in parentheses, or in a TOML file (--config or ~/.hearth/config.toml) under its name with underscores. Flags override the environment, and the environment overrides the file.',
  options: [
    ...Object.entries(settingGroups).flatMap(([group, keys]) => keys.map((key) => toOption(key, group))),
    ...serverSettingKeys.flatMap(aliasOptions),
    {
      flags: '--config <path>',
      help: 'TOML file with settings (default ~/.hearth/config.toml; HEARTH_CONFIG)',
      group: 'Common flags',
      completes: 'file',
    },
    // A command has started the server.
    { flags: '--background', help: '', hidden: true },
  ],
  examples: ['hearth serve', 'hearth serve --host 0.0.0.0:11434 --keep-alive 30m'],
  ownsSignals: true,
  async execute(context, { options }) {
    const { serve } = await import('./serve.ts');
    const configFile = options['config'] as string | undefined;
    await serve(context, { flags: readFlags(options), configFile, isBackground: options['background'] === true });
    context.onServing();
  },
};

/** The flags as typed; those that are not given are absent. */
export function readFlags(options: CommandInput['options']): SettingSources['flags'] {
  const given = serverSettingKeys.flatMap((key) => {
    const value = options[key] ?? aliasesOf(key).map((alias) => options[alias.key])[0];
    return value === undefined ? [] : [[key, value === true ? 'true' : String(value)] as const];
  });
  return Object.fromEntries(given);
}

/** Older names of settings: accepted, but not shown. */
function aliasOptions(key: SettingKey): OptionSpec[] {
  return aliasesOf(key).map(({ flag }) => ({ flags: `--${flag} <value>`, help: '', hidden: true as const }));
}

function toOption(key: SettingKey, group: string): OptionSpec {
  const { kind, default: defaultText, help } = settingTable[key];
  const choices = kind.name.split(' | ');
  const name = choices.length > 1 ? 'value' : kind.name;
  // The value of a boolean flag is optional: --debug means --debug true.
  const value = choices[0] === 'boolean' ? `[${name}]` : `<${name}>`;
  const notes = [
    ...(choices.length > 1 ? [choices.join(', ')] : []),
    ...(defaultText === '' ? [] : [`default ${defaultText}`]),
    environmentName(key),
  ];
  return {
    flags: `--${flagName(key)} ${value}`,
    help: `${help.replace(/\.$/, '')} (${notes.join('; ')})`,
    group,
    completes: choices.length > 1 ? choices : kind.name === 'path' ? 'file' : undefined,
  };
}
