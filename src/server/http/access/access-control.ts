// Who may use a route. The server has no keys unless it is given an AccessControl.

import type { IncomingHttpHeaders } from 'node:http';
import type { HearthError } from '../../../base/errors.ts';
import type { CallerKey, KeyScope } from '../../../base/request/caller-key.ts';

/** What a key must allow for a route; `open`: no key is needed. */
export type RouteScope = KeyScope | 'open';

export interface AccessControl {
  /** Whether requests need a key now. */
  isRequired(): boolean;
  /**
   * Looks for what another server may know about these headers. Undefined: there is nothing to wait for. Never rejects.
   */
  prepare?(headers: IncomingHttpHeaders): Promise<void> | undefined;
  /** The key that these headers carry; undefined if there is none that is valid, and if none is needed. */
  identify(headers: IncomingHttpHeaders): CallerKey | undefined;
  /** The key with this id; undefined if there is none that is valid. */
  find(id: string): CallerKey | undefined;
  /**
   * Throws `unauthorized`, `missing_scope`, `rate_limited` or `state_unreachable`, or rejects with it. `route` is undefined for a path that does not exist, which
   * only callers with a key learn.
   */
  authorize(
    headers: IncomingHttpHeaders,
    key: CallerKey | undefined,
    route: GuardedRoute | undefined,
  ): void | Promise<void>;
  /** Calls `onRevoked` once when the key is not valid any more. The result ends the watch. */
  watchKey(key: CallerKey, onRevoked: (error: HearthError) => void): () => void;
}

interface GuardedRoute {
  readonly scope: RouteScope;
  /** Requests count in the quota of the key. */
  readonly metered?: true;
}
