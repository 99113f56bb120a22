// hearth registry serve

import type { OptionSpec } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';
import { type RegistryFlags, registryFlags } from './registry-flags.ts';

const names = Object.keys(registryFlags) as (keyof RegistryFlags)[];

export const registryServerFeature: Feature = {
  commands: [
    {
      name: 'registry',
      hiddenAlias: 'library',
      summary: 'Run a model registry for your team',
      examples: ['hearth registry serve'],
      commands: [
        {
          name: 'serve',
          summary: 'Serve a folder of models as a registry',
          description:
            'Clients pull from it and, with a registered key, push to it. To register a key, add the line that `hearth public-key` prints to the file authorized_keys in the folder.',
          options: names.map(toOption),
          examples: ['hearth registry serve --host 0.0.0.0 --folder /srv/models --url http://models.example:11435'],
          ownsSignals: true,
          async execute({ terminal }, { options }) {
            const { runRegistry } = await import('./run-registry.ts');
            const given = names.map((name) => [name, options[toCamelCase(name)] as string | undefined]);
            await runRegistry(Object.fromEntries(given), terminal);
          },
        },
      ],
    },
  ],
};

function toOption(name: keyof RegistryFlags): OptionSpec {
  const { kind, default: defaultText, help } = registryFlags[name];
  const choices = kind.split(' | ');
  return {
    flags: `--${name} <${choices.length > 1 ? 'value' : kind}>`,
    help: `${help.replace(/\.$/, '')}${defaultText === '' ? '' : ` (default ${defaultText})`}`,
    completes: choices.length > 1 ? choices : kind === 'path' ? 'file' : undefined,
  };
}

function toCamelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
