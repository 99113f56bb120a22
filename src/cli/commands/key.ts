// hearth key

import type { CommandSpec } from '../command.ts';

export type PrintKey = () => Promise<void>;

export function keyCommand(printKey: PrintKey): CommandSpec {
  return {
    name: 'key',
    summary: 'Print the public key of this installation',
    description: 'Registries accept pushes from registered keys. The key is created when it is first needed.',
    examples: ['hearth key', 'hearth key >> /srv/models/authorized_keys'],
    async execute() {
      await printKey();
      return undefined;
    },
  };
}
