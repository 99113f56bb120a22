// The registry client: pulls and pushes manifests and blobs.

import type { Digest } from '../../base/digest.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ClientTls } from '../../base/tls/client-context.ts';
import type { PrivateKey } from '../keys/private-key.ts';
import type { Store } from '../store/store.ts';
import { createBlobSource } from './download/blob-source.ts';
import { createHttpClient } from './http/http-client.ts';
import type { ProxySettings } from './http/proxy-settings.ts';
import { type FetchedManifest, fetchManifest } from './manifests/fetch-manifest.ts';
import type { RemoteLayer } from './manifests/parse-manifest.ts';
import { pushManifest } from './manifests/push-manifest.ts';
import { createAuthorizer, type Purpose, type RegistryCredentials } from './session/authorizer.ts';
import type { Repository } from './session/registry-address.ts';
import { createRegistrySession, type RegistrySession } from './session/registry-session.ts';
import { streamProgress } from './transfers/stream-progress.ts';
import { createTransfers } from './transfers/transfers.ts';
import { uploadBlob } from './transfers/upload-blob.ts';

interface PushedBlob {
  readonly digest: Digest;
  readonly size: number;
  /** The local file. */
  readonly path: string;
  /** Another repository of the same registry that may have the blob. */
  readonly mountFrom?: string;
}

interface PushedManifest {
  readonly repository: Repository;
  readonly tag: string;
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
}

interface RegistryClientOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly version: string;
  readonly ollamaVersion: string;
  readonly credentials: readonly RegistryCredentials[];
  readonly proxy: ProxySettings;
  readonly tls: ClientTls;
  /** Creates the key on first use. */
  readonly loadKey: () => Promise<PrivateKey>;
}

export function createRegistryClient({
  store,
  clock,
  version,
  ollamaVersion,
  credentials,
  proxy,
  tls,
  loadKey,
}: RegistryClientOptions) {
  const http = createHttpClient({ version, ollamaVersion, clock, proxy, tls });
  const authorizer = createAuthorizer({ http, clock, credentials, loadKey });
  const transfers = createTransfers({ store, clock });
  const openSession = (repository: Repository, purpose: Purpose): RegistrySession =>
    createRegistrySession({ http, authorizer, repository, purpose });

  return {
    /** Throws `model_not_found` if there is no such model. */
    fetchManifest: (repository: Repository, tag: string, signal: AbortSignal): Promise<FetchedManifest> =>
      fetchManifest({ session: openSession(repository, 'pull'), tag, clock, signal }),
    /** Yields the number of bytes in the store. When it ends, the blob is complete. */
    fetchBlob: (repository: Repository, layer: RemoteLayer, signal: AbortSignal): AsyncGenerator<number> =>
      transfers.follow({
        layer,
        from: `${repository.registry.origin}/${repository.path}`,
        open: () => createBlobSource(openSession(repository, 'pull'), layer),
        signal,
      }),
    /** Yields the number of bytes sent. When it ends, the registry has the blob. */
    pushBlob: (
      repository: Repository,
      { digest, size, path, mountFrom }: PushedBlob,
      signal: AbortSignal,
    ): AsyncGenerator<number> =>
      streamProgress(clock, signal, (onSent, limited) =>
        uploadBlob({
          session: openSession(repository, 'push'),
          blob: { digest, size },
          path,
          mountFrom,
          clock,
          signal: limited,
          onSent,
        }),
      ),
    pushManifest: ({ repository, tag, bytes, signal }: PushedManifest): Promise<void> =>
      pushManifest({ session: openSession(repository, 'push'), tag, bytes, clock, signal }),
    /** Cancels transfers in progress; incomplete downloads are kept. */
    async close(): Promise<void> {
      await transfers.close();
      await http.close();
    },
  };
}

export type RegistryClient = ReturnType<typeof createRegistryClient>;
