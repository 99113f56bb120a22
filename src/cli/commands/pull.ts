// hearth pull MODEL

import type { CliContext, CommandSpec, OptionSpec } from '../command.ts';

export const insecureOption: OptionSpec = {
  flags: '--insecure',
  help: 'speak to the library without TLS; for one of your own only',
};

export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'Fetch a model from a library',
  description: 'What was fetched before, whole or in part, is not fetched again.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [insecureOption],
  examples: ['hearth pull llama3.2', 'hearth pull hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M'],
  async execute(context, { words: [model = ''], options }) {
    await pullModel(context, model, options['insecure'] === true);
    return undefined;
  },
};

/** Shows how far it is, on standard error. */
export async function pullModel(context: CliContext, model: string, insecure: boolean): Promise<void> {
  const { client, terminal, clock, signal } = context;
  const { followStatuses } = await import('../progress/show-progress.ts');
  await followStatuses(client().pull({ model, ...(insecure ? { insecure } : {}) }, signal), {
    screen: terminal.stderr,
    clock,
  });
}
