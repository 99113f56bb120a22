// The listed servers of tools together with the tools of Hearth itself, if the settings switch some on.

import type { ToolServer, ToolServers } from './tool-server.ts';

interface ToolSource {
  readonly toolServers?: ToolServers;
  readonly ownTools?: ToolServer;
}

export function findOwnTools(sources: readonly ToolSource[]): ToolServer | undefined {
  return sources.find(({ ownTools }) => ownTools)?.ownTools;
}

/** A listed server with the name of the own tools is hidden. */
export function findTools(sources: readonly ToolSource[]): ToolServers | undefined {
  const servers = sources.find(({ toolServers }) => toolServers)?.toolServers;
  const own = findOwnTools(sources);
  if (servers === undefined || own === undefined) return servers;
  return {
    names: () => [own.name, ...servers.names().filter((name) => name !== own.name)],
    find: (name) => (name === own.name ? own : servers.find(name)),
    open: (address) => servers.open(address),
    maxCalls: servers.maxCalls,
  };
}
