// hearth list [PREFIX]

import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import type { CommandSpec } from '../command.ts';
import { formatBytes, formatMoment, safeLine } from '../output/format.ts';
import { formatJson } from '../output/format-json.ts';
import { formatTable, tableWidth } from '../output/table.ts';

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
    return undefined;
  },
};

export function formatModels(models: TagsResponseBody['models'], now: number, width?: number): string {
  return formatTable(
    ['NAME', 'ID', 'SIZE', 'MODIFIED'],
    models.map(({ name, digest, size, modified_at }) => [
      safeLine(name),
      safeLine(digest).slice(0, 12),
      formatBytes(size),
      formatMoment(parseTimestamp(modified_at), now),
    ]),
    { optional: ['ID', 'MODIFIED'], width },
  );
}
