// The servers that a request has passed, in a header. Each Hearth that sends a request to another server adds its id, so
// that one that sees its own id knows that servers send the request to each other.

export const passedServersHeader = 'x-hearth-via';

/** A request that has passed as many is not sent on. */
export const maxPassedServers = 8;

const serverId = /^[\w-]{1,64}$/;

/** Any client can send the header: what is not an id is ignored. */
export function parsePassedServers(header: string): readonly string[] {
  const entries = header.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => serverId.test(entry)).slice(0, maxPassedServers);
}

export function formatPassedServers(ids: readonly string[]): string {
  return ids.join(', ');
}
