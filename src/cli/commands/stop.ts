// hearth stop MODEL

import { HearthError } from '../../base/errors.ts';
import type { CommandSpec } from '../command.ts';
import { isModelMissing } from '../output/explain.ts';
import { safeText } from '../output/format.ts';

export const stopCommand: CommandSpec = {
  name: 'stop',
  summary: 'Stop a running model',
  description: 'Unloads the model after its running requests have finished. The next request loads it again.',
  arguments: [{ name: 'model', required: true, completes: 'model' }],
  examples: ['hearth stop ember'],
  async execute({ connect, signal }, { words: [model = ''] }) {
    const client = await connect();
    try {
      for await (const _ of client.generate({ model, keep_alive: 0 }, signal));
    } catch (error) {
      if (!isModelMissing(error)) throw error;
      throw new HearthError(
        'model_not_found',
        `couldn't find model "${safeText(model)}" to stop: \`hearth ps\` lists the running models`,
      );
    }
  },
};
