// Ends loops: a remote may be this server, or one that has this server as a remote. A request names the servers that it
// has passed, and this server sends it to a remote only once. A remote that is this server is fine for its local models.

import { HearthError } from '../../base/errors.ts';
import { formatPassedServers, maxPassedServers, passedServersHeader } from '../../base/request/passed-servers.ts';
import { currentRequest } from '../../base/request/request-scope.ts';

/** `id` identifies this server. */
export function createLoopGuard(id: string) {
  const passed = (): readonly string[] => currentRequest()?.passedServers ?? [];
  return {
    /** Throws if the current request must not be sent to a remote. */
    check(): void {
      const ids = passed();
      if (ids.includes(id)) {
        const message = 'the remotes form a loop (this server has sent this request to a remote before)';
        throw new HearthError('remote_loop', message);
      }
      if (ids.length >= maxPassedServers) {
        const message = `the chain of remotes is too long (this request has passed ${maxPassedServers} servers)`;
        throw new HearthError('remote_loop', message);
      }
    },
    /** For requests to remotes. */
    headers: (): Readonly<Record<string, string>> => ({
      [passedServersHeader]: formatPassedServers([...passed(), id]),
    }),
  };
}

export type LoopGuard = ReturnType<typeof createLoopGuard>;
