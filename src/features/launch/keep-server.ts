// A server in the background ends when it has had no work for a while. The user of a program may pause longer than
// that, so the server gets a request from time to time.

import type { Clock } from '../../base/time/clock.ts';
import type { HearthClient } from '../../client/client.ts';

const intervalMs = 60_000;

/** Returns a function that ends it. */
export function keepServer(client: Pick<HearthClient, 'ps'>, clock: Clock): () => void {
  const request = (): void => {
    timer = clock.after(intervalMs, request);
    // A server that cannot be reached is the program's to report.
    client.ps().catch(() => {});
  };
  let timer = clock.after(intervalMs, request);
  return () => timer.cancel();
}
