// The ports of `hearth backend` on a machine without backends.

import type { BackendPorts } from '../../src/cli/commands/backend.ts';

export const noBackends: BackendPorts = {
  async *add() {},
  list: async () => [],
  remove: async () => false,
};
