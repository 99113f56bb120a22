// One engine for models on this machine, for models of remotes, and for models of other engines on this machine.

import type { Engine } from './ports.ts';

/** `hosted`: models of other engines, which are in memory as the local engine decides. */
export function combineEngines(local: Engine, remote: Engine, hosted: Pick<Engine, 'acquire'>): Engine {
  const engines = { local, remote, hosted };
  return {
    acquire: (request, signal) => engines[request.source.kind].acquire(request, signal),
    planContext: (request) => (request.source.kind === 'remote' ? remote : local).planContext(request),
    judgeLoad: (request) => (request.source.kind === 'remote' ? remote : local).judgeLoad(request),
    // An engine ignores the keys of models that it does not have.
    unload: async (key, client) =>
      (await Promise.all([local.unload(key, client), remote.unload(key, client)])).every((isUnloaded) => isUnloaded),
    loaded: () => [...local.loaded(), ...remote.loaded()],
    queue: () => [...local.queue(), ...remote.queue()],
    close: async (grace) => void (await Promise.all([local.close(grace), remote.close(grace)])),
  };
}
