// hearth run MODEL [PROMPT…]

import { type CommandSpec, exitCodes } from '../command.ts';
import { insecureOption } from '../models/pull-model.ts';

export const runModelCommand: CommandSpec = {
  name: 'run',
  summary: 'Run a model',
  description:
    'With a prompt, prints the answer. Without a prompt, starts an interactive session. Without a model, offers those ' +
    'that are installed. Piped input is placed before ' +
    'the prompt. Vision models receive the image files that the prompt names. If no server is running, one is started ' +
    'in the background.',
  arguments: [
    { name: 'model', required: false, completes: 'model' },
    { name: 'prompt', required: false, variadic: true, completes: 'file' },
  ],
  options: [
    { flags: '--format <format>', help: 'Response format: "json" or a file with a JSON schema', completes: 'file' },
    { flags: '--keepalive <duration>', help: 'How long the model stays loaded, for example 5m' },
    { flags: '--verbose', help: 'Show timing statistics' },
    { flags: '--nowordwrap', help: 'Do not wrap lines between words' },
    {
      flags: '--think [level]',
      help: 'Enable thinking; --think=low, medium, high, max or false',
      valueAfterEquals: true,
    },
    { flags: '--hidethinking', help: 'Hide the thinking output' },
    insecureOption,
    {
      flags: '--truncate [boolean]',
      help: 'Embedding models: truncate long input; --truncate=false rejects it',
      valueAfterEquals: true,
    },
    { flags: '--dimensions <number>', help: 'Embedding models: number of dimensions' },
  ],
  examples: [
    'hearth run ember',
    'hearth run ember "Why is the sky blue?"',
    'cat letter.txt | hearth run ember "Who wrote this?"',
    'hearth run ember-eyes "What is in ./shape.png?"',
    'hearth run ember-thinks --think "What is 217 + 385?"',
  ],
  async execute(context, { words: [model = '', ...words], options }) {
    const { runModel } = await import('./run-model.ts');
    await runModel(context, { model, words, options });
    return context.signal.aborted ? exitCodes.interrupted : undefined;
  },
};
