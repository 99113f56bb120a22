// hearth list [PREFIX]

import { parseTimestamp } from '../../base/time/timestamp.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import type { CommandSpec } from '../command.ts';
import { formatBytes, formatMoment, safeLine } from '../output/format.ts';
import { toJson } from '../output/json-output.ts';
import { formatTable } from '../output/table.ts';

export const listCommand: CommandSpec = {
  name: 'list',
  alias: 'ls',
  summary: 'List the models that are here',
  arguments: [{ name: 'prefix', required: false, completes: 'model' }],
  options: [{ flags: '--json', help: 'print what the API answers' }],
  examples: ['hearth list', 'hearth list em', "hearth list --json | jq -r '.models[].name'"],
  async execute({ client, terminal, clock, signal }, { words: [prefix = ''], options }) {
    const all = await client().list(signal);
    const wanted = prefix.toLowerCase();
    const models = all.models.filter(({ name }) => name.toLowerCase().startsWith(wanted));
    terminal.stdout.write(options['json'] === true ? toJson({ models }) : formatModels(models, clock.now()));
    return undefined;
  },
};

export function formatModels(models: TagsResponseBody['models'], now: number): string {
  return formatTable(
    ['NAME', 'ID', 'SIZE', 'MODIFIED'],
    models.map(({ name, digest, size, modified_at }) => [
      safeLine(name),
      safeLine(digest).slice(0, 12),
      formatBytes(size),
      formatMoment(parseTimestamp(modified_at), now),
    ]),
  );
}
