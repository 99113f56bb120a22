// hearth run MODEL [PROMPT…]

import { type CommandSpec, exitCodes } from '../command.ts';
import { insecureOption } from '../commands/pull.ts';

export const runCommand: CommandSpec = {
  name: 'run',
  summary: 'Talk with a model',
  description:
    'With a prompt it prints the answer; without one, at a terminal, it begins a conversation. What comes through a pipe ' +
    'stands before the prompt. Models with eyes see the pictures that a prompt names. Where no server runs, one is ' +
    'started for this run.',
  arguments: [
    { name: 'model', required: true, completes: 'model' },
    { name: 'prompt', required: false, variadic: true, completes: 'file' },
  ],
  options: [
    { flags: '--format <format>', help: '"json", or a file with a JSON schema', completes: 'file' },
    { flags: '--keepalive <duration>', help: 'how long the model stays loaded, such as 5m' },
    { flags: '--verbose', help: 'show what the answer has cost' },
    { flags: '--nowordwrap', help: 'do not break lines between words' },
    {
      flags: '--think [level]',
      help: 'let the model think first; --think=low, medium, high, max or false',
      valueAfterEquals: true,
    },
    { flags: '--hidethinking', help: 'do not show what it thinks' },
    insecureOption,
    {
      flags: '--truncate [boolean]',
      help: 'for models that embed: --truncate=false refuses text that is too long',
      valueAfterEquals: true,
    },
    { flags: '--dimensions <number>', help: 'for models that embed: so many numbers' },
  ],
  examples: [
    'hearth run ember',
    'hearth run ember "Why is the sky blue?"',
    'cat notes.txt | hearth run ember "Sum this up:"',
    'hearth run ember-eyes "What is in ./photo.png?"',
  ],
  async execute(context, { words: [model = '', ...words], options }) {
    const { runModel } = await import('./run-model.ts');
    await runModel(context, { model, words, options });
    return context.signal.aborted ? exitCodes.interrupted : undefined;
  },
};
