// One engine for models on this machine and for models of remotes.

import type { Engine } from './ports.ts';

export function combineEngines(local: Engine, remote: Engine): Engine {
  return {
    acquire: (request, signal) => (request.source.kind === 'local' ? local : remote).acquire(request, signal),
    planContext: (request) => (request.source.kind === 'local' ? local : remote).planContext(request),
    judgeLoad: (request) => (request.source.kind === 'local' ? local : remote).judgeLoad(request),
    // An engine ignores the keys of models that it does not have.
    unload: async (key, client) =>
      (await Promise.all([local.unload(key, client), remote.unload(key, client)])).every((isUnloaded) => isUnloaded),
    loaded: () => [...local.loaded(), ...remote.loaded()],
    queue: () => [...local.queue(), ...remote.queue()],
    close: async (grace) => void (await Promise.all([local.close(grace), remote.close(grace)])),
  };
}
