// hearth eval MODEL

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';

const evalCommand: CommandSpec = {
  name: 'eval',
  summary: 'Measure how well a model answers',
  description:
    'Asks the 300 questions that ship with Hearth, or those of a file, and prints the share of right answers. An evaluation that was interrupted goes on where it was.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '--task <file>', help: 'Ask the questions of this file instead (JSON lines)', completes: 'file' },
    { flags: '--limit <number>', help: 'Ask only this many questions, of all categories' },
    { flags: '--json', help: 'Print the result and each answer as JSON' },
  ],
  examples: ['hearth eval ember', 'hearth eval ember --limit 60 --json'],
  async execute(context, { words: [model = ''], options }) {
    const { runEval } = await import('./run-eval.ts');
    await runEval(context, {
      model,
      task: options['task'] as string | undefined,
      limit: readLimit(options['limit']),
      json: options['json'] === true,
    });
  },
};

export const evalFeature: Feature = { commands: [evalCommand] };

const maxLimit = 10_000;

function readLimit(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= maxLimit) return Number(value);
  throw new HearthError('bad_request', `--limit must be an integer from 1 to ${maxLimit}`);
}
