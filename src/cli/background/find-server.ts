// Whether a server is running at the address of a client.

import type { HearthClient } from '../../client/client.ts';
import { ClientError, isCancelled } from '../../client/client-error.ts';

/** Undefined if a server answers, whatever it answers: the command shows its errors. */
export async function findServer(client: HearthClient, signal: AbortSignal): Promise<ClientError | undefined> {
  try {
    await client.version(signal);
    return undefined;
  } catch (error) {
    if (isCancelled(error)) throw error;
    return error instanceof ClientError && isNoServer(error) ? error : undefined;
  }
}

function isNoServer({ kind }: ClientError): boolean {
  return kind === 'unreachable' || kind === 'foreign';
}
