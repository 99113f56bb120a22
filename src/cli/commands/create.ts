// hearth create MODEL

import type { CommandSpec } from '../command.ts';

export const createCommand: CommandSpec = {
  name: 'create',
  summary: 'Make a model from a Modelfile',
  description:
    'FROM and ADAPTER may name models, GGUF files and folders of them; files are sent to the server where it does not have them yet. Relative paths begin where the Modelfile lies.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '-f, --file <path>', help: 'the Modelfile (default "Modelfile"); - is standard input', completes: 'file' },
    { flags: '-q, --quantize <type>', help: 'quantise the weights, for instance to q4_K_M', completes: 'nothing' },
  ],
  examples: [
    'hearth create pirate -f Modelfile',
    "printf 'FROM ember\\nSYSTEM Talk like a pirate.\\n' | hearth create pirate -f -",
  ],
  async execute(context, { words: [model = ''], options }) {
    const file = typeof options['file'] === 'string' ? options['file'] : 'Modelfile';
    const { createModel } = await import('../create/create-model.ts');
    await createModel(context, { model, file, quantize: options['quantize'] as string | undefined });
    return undefined;
  },
};
