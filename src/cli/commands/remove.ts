// hearth rm MODEL...

import { type CommandSpec, exitCodes } from '../command.ts';
import { explain, isModelMissing, modelMissing } from '../output/explain.ts';

export const removeCommand: CommandSpec = {
  name: 'rm',
  alias: 'remove',
  summary: 'Remove models',
  description:
    'Layers that other models use are kept. If one of the models does not exist, the others are still removed.',
  arguments: [{ name: 'model', required: true, variadic: true, completes: 'model' }],
  examples: ['hearth rm my-ember', 'hearth rm first:q4_0 second:q8_0'],
  async execute({ connect, terminal, signal }, { words }) {
    const client = await connect();
    let failed = false;
    for (const model of words) {
      try {
        await client.remove(model, signal);
        terminal.stdout.write(`deleted '${model}'\n`);
      } catch (error) {
        if (!isModelMissing(error)) throw error;
        failed = true;
        terminal.stderr.write(`Error: ${explain(await modelMissing(client, model, 'list'))}\n`);
      }
    }
    return failed ? exitCodes.failure : exitCodes.success;
  },
};
