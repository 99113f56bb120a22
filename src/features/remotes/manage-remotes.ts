// Adds, lists, checks and removes remotes: the servers that run remote models.

import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type CheckedEndpoint, checkRemoteEndpoints } from '../../inference/remote/check-remote.ts';
import type { Prober } from '../../inference/remote/probe/prober.ts';
import { checkEndpoint, type EndpointFields, type RemoteRecord } from '../../inference/remote/remotes/remote-record.ts';
import type { RemoteStore } from '../../inference/remote/remotes/remote-store.ts';

export type { CheckedEndpoint } from '../../inference/remote/check-remote.ts';
export type { RemoteRecord } from '../../inference/remote/remotes/remote-record.ts';

/** The fields of an endpoint as a caller gives them. */
export type GivenEndpoint = { readonly [Field in keyof EndpointFields]?: string };

export interface RemoteManager {
  list(): readonly RemoteRecord[];
  /** An endpoint with the same URL is replaced. */
  add(name: string, endpoints: readonly GivenEndpoint[]): Promise<RemoteRecord>;
  /** `url`: removes only this endpoint. */
  remove(name: string, url?: string): Promise<void>;
  check(name: string, signal: AbortSignal): Promise<readonly CheckedEndpoint[]>;
}

interface RemoteManagerServices {
  readonly remotes: RemoteStore;
  readonly prober: Prober;
  readonly clock: Clock;
}

export function createRemoteManager({ remotes, prober, clock }: RemoteManagerServices): RemoteManager {
  return {
    list: () => [...remotes.list()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    add: (name, endpoints) => remotes.add(name, endpoints.map(checkEndpoint)),
    remove: (name, url) => remotes.remove(name, url && checkEndpoint({ url }).url),
    async check(name, signal) {
      const remote = remotes.find(name);
      if (remote === undefined) throw new HearthError('remote_not_found', `there is no remote "${name.slice(0, 100)}"`);
      return checkRemoteEndpoints(remote, { prober, clock }, signal);
    },
  };
}
