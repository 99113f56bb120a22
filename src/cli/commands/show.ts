// hearth show MODEL

import { HearthError } from '../../base/errors.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import type { CommandSpec } from '../command.ts';
import { withModelHint } from '../explain.ts';
import { safeText } from '../output/format.ts';
import { toJson } from '../output/json-output.ts';

const parts = ['license', 'modelfile', 'parameters', 'system', 'template'] as const;
type Part = (typeof parts)[number];

const partHelp: Readonly<Record<Part, string>> = {
  license: 'its licences',
  modelfile: 'the Modelfile that makes it again',
  parameters: 'the options that it sets',
  system: 'its system message',
  template: 'its prompt template',
};

export const showCommand: CommandSpec = {
  name: 'show',
  summary: 'Tell what a model is',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    ...parts.map((part) => ({ flags: `--${part}`, help: `only ${partHelp[part]}` })),
    { flags: '-v, --verbose', help: 'everything that its file says' },
    { flags: '--json', help: 'print what the API answers' },
  ],
  examples: ['hearth show ember', 'hearth show ember --modelfile > Modelfile'],
  async execute({ client, terminal, signal }, { words: [model = ''], options }) {
    const asked = parts.filter((part) => options[part] === true);
    if (asked.length + (options['json'] === true ? 1 : 0) > 1) throw new HearthError('bad_request', onlyOne);
    const verbose = options['verbose'] === true;
    const shown = await withModelHint(model, client().show({ model, verbose }, signal));
    const { formatModelInfo } = await import('../output/model-info.ts');
    const [part] = asked;
    if (options['json'] === true) terminal.stdout.write(toJson(shown));
    else terminal.stdout.write(part === undefined ? formatModelInfo(shown, { verbose }) : textOf(shown, part));
    return undefined;
  },
};

const onlyOne =
  "only one of '--license', '--modelfile', '--parameters', '--system', '--template' or '--json' can be specified";

/** With a newline at its end, unless there is nothing. */
function textOf(shown: ShowResponseBody, part: Part): string {
  const text = safeText(shown[part] ?? '');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
