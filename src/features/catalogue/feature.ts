// hearth search [WORDS...]

import type { CommandSpec } from '../../cli/command.ts';
import { formatByteSize, formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import type { CatalogueResponseBody } from './catalogue-schema.ts';

const searchCommand: CommandSpec = {
  name: 'search',
  summary: 'Find models to pull',
  description:
    'Searches the list of models that ships with Hearth and, if there are words, Hugging Face. FIT says whether a model fits the machine of the server, by the estimate that loading uses.',
  arguments: [{ name: 'words', required: false, variadic: true, completes: 'nothing' }],
  options: [
    { flags: '--offline', help: 'Do not ask Hugging Face' },
    { flags: '--json', help: 'Print the response of the API as JSON' },
  ],
  examples: ['hearth search', 'hearth search code 7b', 'hearth search vision --offline'],
  async execute({ connect, terminal, signal }, { words, options }) {
    const client = await connect();
    const online = words.length > 0 && options['offline'] !== true;
    const response = await client.catalogue({ q: words.join(' '), online: String(online) }, signal);
    const { stdout, stderr } = terminal;
    stdout.write(options['json'] === true ? formatJson(response) : formatCatalogue(response, tableWidth(stdout)));
    const { online_error: problem, models } = response;
    if (problem !== undefined) stderr.write(`Hugging Face was not searched: ${safeLine(problem)}.\n`);
    if (models.length === 0) stderr.write('No model matches. `hearth search` lists all.\n');
    else if (options['json'] !== true)
      stderr.write(`List of ${safeLine(response.date)}. Get a model with \`hearth pull NAME\`.\n`);
  },
};

export const catalogueFeature: Feature = { commands: [searchCommand] };

export function formatCatalogue({ models }: CatalogueResponseBody, width?: number): string {
  const rows = models.flatMap(({ sizes, license = '', capabilities, description }) =>
    sizes.map(({ name, size, fit }, index) => [
      safeLine(name),
      size === undefined ? '' : formatByteSize(size),
      safeLine(fit?.text ?? ''),
      index === 0 ? safeLine(capabilities.filter((each) => each !== 'completion').join(',')) : '',
      index === 0 ? safeLine(license) : '',
      index === 0 ? safeLine(description) : '',
    ]),
  );
  return formatTable(['NAME', 'SIZE', 'FIT', 'ABILITIES', 'LICENSE', 'GOOD FOR'], rows, {
    width,
    optional: ['LICENSE', 'ABILITIES', 'GOOD FOR'],
  });
}
