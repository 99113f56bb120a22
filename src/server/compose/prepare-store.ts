// What a store needs before its models are used: no leftovers, and the embedded models.

import { HearthError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { PrefixFiles } from '../../inference/engine/prefix-files.ts';
import type { StoreLock } from '../../models/store/lock.ts';
import type { Store } from '../../models/store/store.ts';
import { installEmbedded } from '../services/management/install-embedded.ts';

interface StorePreparation {
  readonly store: Store;
  readonly prefixFiles: PrefixFiles | undefined;
  readonly lock: StoreLock;
  /** The folder of the embedded models. */
  readonly embeddedModels: string;
  /** Keeps unused blobs. */
  readonly noprune: boolean;
  readonly logger: Logger;
}

/** Rejects only for a store that cannot be written and has no models. */
export async function prepareStore(preparation: StorePreparation): Promise<void> {
  const { store, prefixFiles, lock, embeddedModels, logger } = preparation;
  await cleanStore(preparation);
  // Without the lock, another server may be writing there.
  if (lock.held) await prefixFiles?.recover();
  try {
    const installed = await installEmbedded(store, embeddedModels);
    if (installed.length > 0) logger.info('installed embedded models', { models: installed.join(' ') });
  } catch (error) {
    // A read-only store can still be served.
    logger.warn('could not install embedded models', { reason: messageOf(error), cause: causeOf(error) });
    if (!lock.held && (await store.list()).length === 0) throw withCause(error);
  }
}

/** Removes leftovers of killed processes and unused blobs. The server starts even if this fails. */
async function cleanStore({ store, lock, noprune, logger }: StorePreparation): Promise<void> {
  try {
    await store.recover();
    if (lock.held && !noprune) await store.collectGarbage();
  } catch (error) {
    logger.warn('could not clean up the store', { reason: messageOf(error) });
  }
}

/** The error of the system, with the path. */
function causeOf(error: unknown): string | undefined {
  return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : undefined;
}

/** Messages for clients have no paths. This one ends the start, and only the operator reads it. */
function withCause(error: unknown): unknown {
  const cause = causeOf(error);
  if (!(error instanceof HearthError) || cause === undefined) return error;
  return new HearthError(error.code, `${error.message} (${cause})`, { cause: error.cause });
}
