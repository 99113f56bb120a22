// Whether a server is running at the address of a client.

import type { HearthClient } from '../../client/client.ts';
import { ClientError, isCancelled } from '../../client/client-error.ts';

/** Undefined if something answers, whatever it answers: the command shows its errors. */
export async function findServer(client: HearthClient, signal: AbortSignal): Promise<ClientError | undefined> {
  try {
    await client.version(signal);
    return undefined;
  } catch (error) {
    if (isCancelled(error)) throw error;
    return error instanceof ClientError && error.kind === 'unreachable' ? error : undefined;
  }
}
