// hearth list [PREFIX]

import type { CommandSpec } from '../command.ts';
import { formatJson } from '../output/format.ts';
import { formatModels } from '../output/model-table.ts';
import { tableWidth } from '../output/table.ts';

export const listCommand: CommandSpec = {
  name: 'list',
  alias: 'ls',
  summary: 'List models',
  arguments: [{ name: 'prefix', required: false, completes: 'model' }],
  options: [{ flags: '--json', help: 'Print the response of the API as JSON' }],
  examples: ['hearth list', 'hearth list em', "hearth list --json | jq -r '.models[].name'"],
  async execute({ connect, terminal, clock, signal }, { words: [prefix = ''], options }) {
    const all = await (await connect()).list(signal);
    const lowerPrefix = prefix.toLowerCase();
    const models = all.models.filter(({ name }) => name.toLowerCase().startsWith(lowerPrefix));
    terminal.stdout.write(
      options['json'] === true
        ? formatJson({ models })
        : formatModels(models, clock.now(), tableWidth(terminal.stdout)),
    );
  },
};
