// hearth imatrix MODEL

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';

const defaultOutput = 'imatrix.gguf';
const maxChunks = 1_000_000;

const imatrixCommand: CommandSpec = {
  name: 'imatrix',
  summary: 'Compute an importance matrix of a model',
  description:
    'Evaluates a text, and writes how much each column of the matrices of the model matters for it. `hearth create --quantize TYPE --imatrix FILE` rounds those columns with more care. The text should be like what the model is used for; some ten thousand tokens suffice. Use the model before it is quantized.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '--text <file>', help: 'The text; required', completes: 'file' },
    {
      flags: '-o, --output <file>',
      help: `Write the matrix to this file (default "${defaultOutput}")`,
      completes: 'file',
    },
    { flags: '--chunks <number>', help: 'Evaluate only this many chunks of 512 tokens', completes: 'nothing' },
    { flags: '--json', help: 'Print the result as JSON' },
  ],
  examples: ['hearth imatrix qwen3:4b-fp16 --text notes.txt --output qwen3.imatrix.gguf'],
  async execute(context, { words: [model = ''], options }) {
    const { text, output = defaultOutput } = options as Readonly<Record<string, string | undefined>>;
    if (text === undefined) throw new HearthError('bad_request', '--text FILE is required');
    const { runImatrix } = await import('./run-imatrix.ts');
    const chunks = readChunks(options['chunks']);
    await runImatrix(context, { model, text, output, maxChunks: chunks, json: options['json'] === true });
  },
};

export const imatrixFeature: Feature = { commands: [imatrixCommand] };

function readChunks(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,7}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= maxChunks) return Number(value);
  throw new HearthError('bad_request', `--chunks must be an integer from 1 to ${maxChunks}`);
}
