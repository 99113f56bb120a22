// hearth cp SOURCE DESTINATION

import type { CommandSpec } from '../command.ts';
import { withModelHint } from '../output/explain.ts';

export const copyCommand: CommandSpec = {
  name: 'cp',
  alias: 'copy',
  summary: 'Copy a model',
  arguments: [
    { name: 'source', required: true, completes: 'model' },
    { name: 'destination', required: true, completes: 'model' },
  ],
  examples: ['hearth cp ember my-ember'],
  async execute({ connect, terminal, signal }, { words: [source = '', destination = ''] }) {
    const client = await connect();
    await withModelHint(client, source, client.copy(source, destination, signal));
    terminal.stdout.write(`copied '${source}' to '${destination}'\n`);
  },
};
