// Composes and starts a registry server: other machines pull from and push to a store folder.

import { hostname } from 'node:os';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { backlog } from '../../base/process/limit-connections.ts';
import { toListenError } from '../../base/process/listen-error.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import type { TlsPaths } from '../../base/tls/tls-files.ts';
import { createTlsListener, toHttps } from '../../base/tls/tls-listener.ts';
import { lockStore } from '../../models/store/lock.ts';
import { createStore, type Store } from '../../models/store/store.ts';
import { createRegistryAccess, type PullPolicy } from './auth/access.ts';
import { createAuthorizedKeys } from './auth/authorized-keys.ts';
import { createTokenIssuer } from './auth/token-issuer.ts';
import { createTokens } from './auth/tokens.ts';
import { createBaseUrlResolver } from './base-url.ts';
import { registryServerLimits } from './limits.ts';
import { createRegistryHttpServer } from './registry-server.ts';
import { blobRoutes } from './routes/blobs.ts';
import { listingRoutes } from './routes/listing.ts';
import { manifestRoutes } from './routes/manifests.ts';
import { tokenRoute } from './routes/token.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { createUploads } from './uploads/uploads.ts';

export interface RegistryServerOptions {
  readonly host: string;
  readonly port: number;
  /** The store folder. */
  readonly folder: string;
  readonly pull: PullPolicy;
  /** One public key per line. */
  readonly keysFile: string;
  /** The URL that clients use, if it differs from the listening address. */
  readonly url?: string;
  readonly maxUploadBytes: number;
  /** Absent: the registry has no TLS. */
  readonly tls?: TlsPaths;
  readonly clock: Clock;
  readonly logger: Logger;
}

const garbageCollectionInterval = 60 * 60_000;
/** Time for transfers in progress to finish when the registry stops. */
const stopGrace = 5000;

export async function serveRegistry(options: RegistryServerOptions) {
  const { host, port, folder, clock, logger } = options;
  const tls = options.tls && createTlsListener({ paths: options.tls, clock, logger });
  await tls?.load();
  const lock = await lockStore(folder, { clock });
  const store = createStore(folder, { clock });
  const uploads = createUploads({ store, clock, maxBytes: options.maxUploadBytes });
  const app = createRegistryHttpServer({
    routes: composeRoutes(options, store, uploads),
    tls,
    logger,
  });
  const garbageCollection = lock.held ? await startGarbageCollection(store, clock, logger) : undefined;
  if (!lock.held) logger.warn('folder is not writable: models can be pulled but not pushed', { folder });

  let address: string;
  try {
    const listening = await app.listen({ host, port, backlog });
    address = tls ? toHttps(listening) : listening;
  } catch (error) {
    tls?.close();
    garbageCollection?.stop();
    await lock.release();
    throw toListenError(error, { host, port, choose: '--host' });
  }
  return {
    address,
    async stop(): Promise<void> {
      garbageCollection?.stop();
      const closed = app.close();
      const timer = clock.after(stopGrace, () => app.server.closeAllConnections());
      await closed;
      timer.cancel();
      await uploads.close();
      await lock.release();
    },
  };
}

function composeRoutes(
  { pull, keysFile, url, tls, clock, logger }: RegistryServerOptions,
  store: Store,
  uploads: ReturnType<typeof createUploads>,
) {
  const keys = createAuthorizedKeys({ path: keysFile, clock, logger });
  const tokens = createTokens(clock);
  const resolveBaseUrl = createBaseUrlResolver({
    hostname: hostname(),
    scheme: tls === undefined ? 'http' : 'https',
    url,
  });
  const access = createRegistryAccess({ pull, keys, tokens, resolveBaseUrl });
  return [
    tokenRoute({ access, tokenIssuer: createTokenIssuer({ clock, keys, tokens, logger }), clock }),
    listingRoutes({ store, access }),
    manifestRoutes({ store, access, logger }),
    blobRoutes({ store, access }),
    uploadRoutes({ store, access, uploads }),
  ];
}

/** Removes leftovers of killed processes now, and unused blobs when no manifest can follow any more. */
async function startGarbageCollection(store: Store, clock: Clock, logger: Logger): Promise<{ stop(): void }> {
  let timer: Timer | undefined;
  let stopped = false;
  const collect = async (): Promise<void> => {
    try {
      await store.collectGarbage({ graceMs: registryServerLimits.orphanMs });
    } catch (error) {
      logger.warn('garbage collection failed', { reason: messageOf(error) });
    }
  };
  const schedule = (): void => {
    if (!stopped) timer = clock.after(garbageCollectionInterval, () => void collect().then(schedule));
  };
  await store.recover().catch((error: unknown) => logger.warn('store recovery failed', { reason: messageOf(error) }));
  await collect();
  schedule();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
