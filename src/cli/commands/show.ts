// hearth show MODEL

import { HearthError } from '../../base/errors.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import type { CommandSpec } from '../command.ts';
import { withModelHint } from '../output/explain.ts';
import { formatJson, safeText } from '../output/format.ts';

const parts = ['license', 'modelfile', 'parameters', 'system', 'template'] as const;
type Part = (typeof parts)[number];

const partHelp: Readonly<Record<Part, string>> = {
  license: 'Show the license',
  modelfile: 'Show the Modelfile',
  parameters: 'Show the parameters',
  system: 'Show the system message',
  template: 'Show the prompt template',
};

export const showCommand: CommandSpec = {
  name: 'show',
  summary: 'Show details of a model',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    ...parts.map((part) => ({ flags: `--${part}`, help: partHelp[part] })),
    {
      flags: '--prompt [message]',
      help: 'Show the prompt that the model would be given; --prompt="Hello!" for another message',
      valueAfterEquals: true,
    },
    { flags: '--fit', help: 'Show whether the model fits the GPUs and the memory of the server' },
    { flags: '-v, --verbose', help: 'Show all metadata of the model file' },
    { flags: '--json', help: 'Print the response of the API as JSON' },
  ],
  examples: ['hearth show ember', 'hearth show ember --modelfile > Modelfile', 'hearth show ember --prompt'],
  async execute({ connect, terminal, signal }, { words: [model = ''], options }) {
    const requested = parts.filter((part) => options[part] === true);
    const { json, prompt } = options;
    if (requested.length + (json === true ? 1 : 0) + (prompt ? 1 : 0) > 1)
      throw new HearthError('bad_request', onlyOne);
    const verbose = options['verbose'] === true;
    const client = await connect();
    if (prompt) {
      const messages = [{ role: 'user', content: prompt === true ? sample : String(prompt) }];
      const rendered = await withModelHint(client, model, client.renderPrompt({ model, messages }, signal));
      terminal.stdout.write(withNewline(safeText(rendered)));
      return;
    }
    const shown = await withModelHint(
      client,
      model,
      client.show({ model, verbose, fit: options['fit'] === true }, signal),
    );
    const { formatModelInfo } = await import('../output/model-info.ts');
    const [part] = requested;
    if (json === true) terminal.stdout.write(formatJson(shown));
    else terminal.stdout.write(part === undefined ? formatModelInfo(shown, { verbose }) : textOf(shown, part));
  },
};

const onlyOne =
  "only one of '--license', '--modelfile', '--parameters', '--system', '--template', '--prompt' or '--json' can be specified";

const sample = 'Why is the sky blue?';

/** Ends with a newline unless it is empty. */
function textOf(shown: ShowResponseBody, part: Part): string {
  return withNewline(safeText(shown[part] ?? ''));
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
