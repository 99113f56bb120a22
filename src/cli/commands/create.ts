// hearth create MODEL

import { type EngineName, engineNames } from '../../models/engine-parameters.ts';
import type { CommandSpec } from '../command.ts';

export const createCommand: CommandSpec = {
  name: 'create',
  summary: 'Create a model from a Modelfile',
  description:
    'FROM accepts a model, a GGUF file, a folder of GGUF files, or a folder with a model in safetensors format, which is converted; ADAPTER accepts files and folders. With ENGINE vllm, FROM is a folder with a checkpoint, which stays where it is, or a name that vLLM resolves. Files that the server does not have are uploaded. Relative paths are resolved against the folder of the Modelfile.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    {
      flags: '-f, --file <path>',
      help: 'Path of the Modelfile, or - for standard input (default "Modelfile")',
      completes: 'file',
    },
    {
      flags: '-q, --quantize <type>',
      help: 'Quantize the weights to this type, for example q4_K_M',
      completes: 'nothing',
    },
    {
      flags: '--imatrix <path>',
      help: 'An importance matrix (GGUF) of the model, as hearth imatrix and llama-imatrix write it, for --quantize',
      completes: 'file',
    },
    {
      flags: '-e, --engine <name>',
      help: 'What runs the model, as ENGINE in the Modelfile',
      choices: engineNames,
    },
  ],
  examples: [
    'hearth create pirate -f Modelfile',
    "printf 'FROM ember\\nSYSTEM Talk like a pirate.\\n' | hearth create pirate -f -",
  ],
  async execute(context, { words: [model = ''], options }) {
    const file = typeof options['file'] === 'string' ? options['file'] : 'Modelfile';
    const { createModel } = await import('../create/create-model.ts');
    const quantize = options['quantize'] as string | undefined;
    const imatrix = options['imatrix'] as string | undefined;
    await createModel(context, { model, file, quantize, imatrix, engine: options['engine'] as EngineName | undefined });
  },
};
