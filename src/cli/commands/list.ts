// hearth list [PREFIX]

import type { CommandSpec } from '../command.ts';
import { formatJson } from '../output/format.ts';
import { formatCached, formatModels } from '../output/model-table.ts';
import { tableWidth } from '../output/table.ts';

export const listCommand: CommandSpec = {
  name: 'list',
  alias: 'ls',
  summary: 'List models',
  arguments: [{ name: 'prefix', required: false, completes: 'model' }],
  options: [
    {
      flags: '--all',
      help: 'Also list GGUF files of the Hugging Face cache and of LM Studio on the machine of the server',
    },
    { flags: '--json', help: 'Print the response of the API as JSON' },
  ],
  examples: ['hearth list', 'hearth list --all', 'hearth list em', "hearth list --json | jq -r '.models[].name'"],
  async execute({ connect, terminal, clock, signal }, { words: [prefix = ''], options }) {
    const client = await connect();
    const lowerPrefix = prefix.toLowerCase();
    const matches = ({ name }: { readonly name: string }): boolean => name.toLowerCase().startsWith(lowerPrefix);
    const models = (await client.list(signal)).models.filter(matches);
    const caches = options['all'] === true ? (await client.caches(signal)).models.filter(matches) : undefined;
    const [now, width] = [clock.now(), tableWidth(terminal.stdout)];
    terminal.stdout.write(
      options['json'] === true
        ? formatJson({ models, caches })
        : formatModels(models, now, width) + formatCached(caches ?? [], now, width),
    );
  },
};
