// hearth public-key

import { HearthError } from '../../base/errors.ts';
import { ClientError } from '../../client/client-error.ts';
import type { CommandSpec } from '../command.ts';
import { safeLine } from '../output/format.ts';

export const publicKeyCommand: CommandSpec = {
  name: 'public-key',
  hiddenAlias: 'key',
  summary: 'Print the public key of the server',
  description:
    'The server signs requests to registries with it. Registries accept pushes from registered keys. The key is created when it is first needed, and is shown only on the machine of the server.',
  examples: ['hearth public-key', 'hearth public-key >> ~/models/authorized_keys'],
  async execute({ connect, terminal, signal }) {
    const client = await connect();
    try {
      terminal.stdout.write(`${safeLine((await client.key(signal)).public_key)}\n`);
    } catch (error) {
      if (!(error instanceof ClientError) || error.status !== 403) throw error;
      const message = `the server at ${client.url} shows its key only on its own machine: run \`hearth public-key\` there`;
      throw new HearthError('forbidden', message, { cause: error });
    }
  },
};
