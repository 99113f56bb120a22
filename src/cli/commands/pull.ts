// hearth pull MODEL

import { HearthError } from '../../base/errors.ts';
import { parseModelName } from '../../models/name.ts';
import type { CliContext, CommandSpec, OptionSpec } from '../command.ts';
import { isModelMissing } from '../explain.ts';
import { safeLine } from '../output/format.ts';

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

function notInRegistry(model: string, cause: unknown): HearthError {
  const { tag } = parseModelName(model);
  const message = `the registry has no model '${safeLine(model)}' with the tag '${tag}': check the name and the tag`;
  return new HearthError('model_not_found', message, { cause });
}

/** Shows progress on standard error. */
export async function pullModel(context: CliContext, model: string, insecure: boolean): Promise<void> {
  const { connect, terminal, clock, signal } = context;
  const { followStatuses } = await import('../progress/show-progress.ts');
  const client = await connect();
  const statuses = client.pull({ model, ...(insecure ? { insecure } : {}) }, signal);
  try {
    await followStatuses(statuses, { screen: terminal.stderr, clock });
  } catch (error) {
    throw isModelMissing(error) ? notInRegistry(model, error) : error;
  }
}
