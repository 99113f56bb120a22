// The listed servers of tools together with the tools of Hearth itself, if the settings switch some on.

import type { ToolServer, ToolServers } from './tool-server.ts';

/** A listed server with the same name is hidden. */
export function withOwnTools(servers: ToolServers | undefined, own: ToolServer | undefined): ToolServers | undefined {
  if (servers === undefined || own === undefined) return servers;
  return {
    names: () => [own.name, ...servers.names().filter((name) => name !== own.name)],
    find: (name) => (name === own.name ? own : servers.find(name)),
    open: (address) => servers.open(address),
    maxCalls: servers.maxCalls,
  };
}
