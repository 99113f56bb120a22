// hearth pull MODEL

import type { CliContext, CommandSpec, OptionSpec } from '../command.ts';

export const insecureOption: OptionSpec = {
  flags: '--insecure',
  help: 'Connect to the registry without TLS; only for registries that you trust',
};

export const pullCommand: CommandSpec = {
  name: 'pull',
  summary: 'Pull a model from a registry',
  description: 'Layers that are present are not downloaded again, and an interrupted download is resumed.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  options: [insecureOption],
  examples: ['hearth pull llama3.2', 'hearth pull hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M'],
  async execute(context, { words: [model = ''], options }) {
    await pullModel(context, model, options['insecure'] === true);
    return undefined;
  },
};

/** Shows progress on standard error. */
export async function pullModel(context: CliContext, model: string, insecure: boolean): Promise<void> {
  const { connect, terminal, clock, signal } = context;
  const { followStatuses } = await import('../progress/show-progress.ts');
  const client = await connect();
  await followStatuses(client.pull({ model, ...(insecure ? { insecure } : {}) }, signal), {
    screen: terminal.stderr,
    clock,
  });
}
