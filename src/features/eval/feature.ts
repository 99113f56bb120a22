// hearth eval MODEL

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../../cli/command.ts';
import type { Feature } from '../feature.ts';

const evalCommand: CommandSpec = {
  name: 'eval',
  summary: 'Measure how well a model answers',
  description:
    'Asks the 300 questions that ship with Hearth, or those of a file, and prints the share of right answers. With --against, also how far the model is from another one of the same vocabulary, such as the one that it was quantized from. An evaluation that was interrupted goes on where it was.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [
    { flags: '--task <file>', help: 'Ask the questions of this file instead (JSON lines)', completes: 'file' },
    { flags: '--against <model>', help: 'Compare it with this model', completes: 'model' },
    { flags: '--text <file>', help: 'Compare both on this text instead of the one that ships', completes: 'file' },
    { flags: '--limit <number>', help: 'Ask only this many questions, of all categories; 0 with --against: none' },
    { flags: '--json', help: 'Print the result and each answer as JSON' },
  ],
  examples: [
    'hearth eval ember',
    'hearth eval ember --limit 60 --json',
    'hearth eval first:q4_0 --against second:q8_0',
  ],
  async execute(context, { words: [model = ''], options }) {
    const { runEval } = await import('./run-eval.ts');
    const { against, text } = options as Readonly<Record<string, string | undefined>>;
    if (text !== undefined && against === undefined)
      throw new HearthError('bad_request', '--text needs --against MODEL');
    await runEval(context, {
      model,
      against,
      text,
      task: options['task'] as string | undefined,
      limit: readLimit(options['limit'], against === undefined ? 1 : 0),
      json: options['json'] === true,
    });
  },
};

export const evalFeature: Feature = { commands: [evalCommand] };

const maxLimit = 10_000;

function readLimit(value: unknown, min: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(String(value)) && Number(value) >= min && Number(value) <= maxLimit) return Number(value);
  throw new HearthError('bad_request', `--limit must be an integer from ${min} to ${maxLimit}`);
}
