// hearth batch FILE

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';

const batchCommand: CommandSpec = {
  name: 'batch',
  summary: 'Ask the questions of a file in the background',
  description:
    'Each line of the file is a request, as for the Batch API of OpenAI: custom_id, method, url and body. The answers are lines of the output, in the order in which they are ready. Ctrl-C leaves the batch on the server, where it goes on, also after a restart; --id waits for it again.',
  arguments: [{ name: 'file', required: false, completes: 'file' }],
  options: [
    { flags: '-o, --output <file>', help: 'Write the answers to this file instead of the terminal', completes: 'file' },
    { flags: '--id <id>', help: 'Wait for a batch that exists, and write its answers' },
    { flags: '--cancel', help: 'End the batch of --id; the answers that it has are written' },
  ],
  examples: ['hearth batch questions.jsonl --output answers.jsonl', 'hearth batch --id batch_0123456789abcdef01234567'],
  async execute(context, { words: [file], options }) {
    const { followBatch } = await import('./follow-batch.ts');
    const { output, id } = options as Readonly<Record<string, string | undefined>>;
    const cancel = options['cancel'] === true;
    if ((file === undefined) === (id === undefined)) throw new HearthError('bad_request', 'name a file, or --id ID');
    if (cancel && id === undefined) throw new HearthError('bad_request', '--cancel needs --id ID');
    return followBatch(context, { file, id, output, cancel });
  },
};

export const batchesFeature: Feature = { commands: [batchCommand] };
