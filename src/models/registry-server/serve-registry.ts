// A library, put together and started: a store folder that others pull from and push to.

import { hostname } from 'node:os';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import { lockStore } from '../store/lock.ts';
import { createStore, type Store } from '../store/store.ts';
import { createAccess, type PullPolicy } from './auth/access.ts';
import { createAuthorizedKeys } from './auth/authorized-keys.ts';
import { createTokenIssuer } from './auth/token-issuer.ts';
import { createTokens } from './auth/tokens.ts';
import { registryServerLimits } from './limits.ts';
import { createBaseUrlResolver } from './base-url.ts';
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
  /** The store. */
  readonly folder: string;
  readonly pull: PullPolicy;
  /** A public key on each line. */
  readonly keysFile: string;
  /** The address that clients know it by, where it cannot be seen from here. */
  readonly url?: string;
  readonly maxUploadBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface RunningRegistry {
  readonly address: string;
  stop(): Promise<void>;
}

const tidyEvery = 60 * 60_000;
/** For transfers that are under way when the library is stopped. */
const stopGrace = 5000;

export async function serveRegistry(options: RegistryServerOptions): Promise<RunningRegistry> {
  const { host, port, folder, clock, logger } = options;
  const lock = await lockStore(folder, { clock });
  const store = createStore(folder, { clock });
  const uploads = createUploads({ store, clock, maxBytes: options.maxUploadBytes });
  const app = createRegistryHttpServer({ routes: composeRoutes(options, store, uploads), logger });
  const tidying = lock.held ? await keepTidy(store, clock, logger) : undefined;
  if (!lock.held) logger.warn('the folder cannot be written to: models can be pulled, not pushed', { folder });

  let address: string;
  try {
    address = await app.listen({ host, port });
  } catch (error) {
    tidying?.stop();
    await lock.release();
    if (systemCodeOf(error) !== 'EADDRINUSE') throw error;
    const message = `${host}:${port} is taken: another server runs there. Choose another with --host and --port.`;
    throw new HearthError('bad_configuration', message, { cause: error });
  }
  return {
    address,
    async stop() {
      tidying?.stop();
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
  { pull, keysFile, url, clock, logger }: RegistryServerOptions,
  store: Store,
  uploads: ReturnType<typeof createUploads>,
) {
  const keys = createAuthorizedKeys({ path: keysFile, clock, logger });
  const tokens = createTokens(clock);
  const resolveBaseUrl = createBaseUrlResolver({ hostname: hostname(), ...(url === undefined ? {} : { url }) });
  const access = createAccess({ pull, keys, tokens, resolveBaseUrl });
  return [
    tokenRoute({ access, tokenIssuer: createTokenIssuer({ clock, keys, tokens, logger }), clock }),
    listingRoutes({ store, access }),
    manifestRoutes({ store, access, logger }),
    blobRoutes({ store, access }),
    uploadRoutes({ store, access, uploads }),
  ];
}

/** What killed processes left behind goes at once; blobs that no model needs go when none can be on its way any more. */
async function keepTidy(store: Store, clock: Clock, logger: Logger): Promise<{ stop(): void }> {
  let timer: Timer | undefined;
  let stopped = false;
  const collect = async (): Promise<void> => {
    try {
      await store.collectGarbage({ graceMs: registryServerLimits.orphanMs });
    } catch (error) {
      logger.warn('could not tidy up the folder', { reason: messageOf(error) });
    }
  };
  const again = (): void => {
    if (!stopped) timer = clock.after(tidyEvery, () => void collect().then(again));
  };
  await store.recover().catch((error: unknown) => logger.warn('could not recover', { reason: messageOf(error) }));
  await collect();
  again();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
