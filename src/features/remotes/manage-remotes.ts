// Adds, lists, checks and removes remotes: the servers that run remote models.

import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type CheckedEndpoint, checkRemoteEndpoints } from '../../inference/remote/check-remote.ts';
import { checkReachable } from '../../inference/remote/http/check-reachable.ts';
import type { Prober } from '../../inference/remote/probe/prober.ts';
import { checkEndpoint, checkRemote, type RemoteRecord } from '../../inference/remote/remotes/remote-record.ts';
import type { RemoteStore } from '../../inference/remote/remotes/remote-store.ts';
import type { GivenSecrets, RemoteFiles } from './remote-files.ts';

export type { CheckedEndpoint } from '../../inference/remote/check-remote.ts';
export type { RemoteRecord } from '../../inference/remote/remotes/remote-record.ts';

/** An endpoint as a caller gives it. */
export interface GivenEndpoint extends GivenSecrets {
  readonly url: string;
  readonly kind?: string;
  readonly servedModel?: string;
  readonly events?: string;
}

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
  readonly files: RemoteFiles;
  readonly prober: Prober;
  readonly clock: Clock;
}

export function createRemoteManager({ remotes, files, prober, clock }: RemoteManagerServices): RemoteManager {
  const place = (name: string, { url: given, kind, servedModel, events, ...secrets }: GivenEndpoint) => {
    const { url } = checkEndpoint({ url: given });
    checkReachable(new URL(url).hostname, name, 'bad_request');
    const { keyRef, caFile, contents } = files.place(name, url, secrets);
    return { endpoint: checkEndpoint({ url, kind, servedModel, keyRef, caFile, events }), contents };
  };
  /** Removes the files of endpoints that do not use them any more. */
  const sweep = async (name: string, urls: readonly string[]): Promise<void> => {
    const endpoints = remotes.find(name)?.endpoints ?? [];
    for (const url of urls) {
      const { keyRef = '', caFile = '' } = endpoints.find((endpoint) => endpoint.url === url) ?? {};
      await files.removeUnused(name, url, [keyRef.slice('file:'.length), caFile]);
    }
  };
  return {
    list: () => [...remotes.list()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async add(name, given) {
      const placed = given.map((endpoint) => place(name, endpoint));
      const endpoints = placed.map(({ endpoint }) => endpoint);
      // Nothing is written for a remote that is not valid.
      checkRemote({ name, endpoints });
      try {
        for (const { contents } of placed) await files.write(contents);
        return await remotes.add(name, endpoints);
      } finally {
        await sweep(
          name,
          endpoints.map(({ url }) => url),
        );
      }
    },
    async remove(name, url) {
      const urls = remotes.find(name)?.endpoints.map((endpoint) => endpoint.url) ?? [];
      await remotes.remove(name, url && checkEndpoint({ url }).url);
      await sweep(name, urls);
    },
    async check(name, signal) {
      const remote = remotes.find(name);
      if (remote === undefined) throw new HearthError('remote_not_found', `there is no remote "${name.slice(0, 100)}"`);
      return checkRemoteEndpoints(remote, { prober, clock }, signal);
    },
  };
}
