// Finds the server of a command. If none is running at the address and that is this machine, starts one in the
// background, which other commands use too.

import { findServer } from './find-server.ts';
import { type BackgroundServerOptions, startBackgroundServer } from './start-background-server.ts';

/** Throws if the server would have to run on another machine. */
export async function ensureServer(options: BackgroundServerOptions): Promise<'running' | 'started'> {
  const { client, signal } = options;
  const failure = await findServer(client, signal);
  if (failure === undefined) return 'running';
  if (!isThisMachine(client.url)) throw failure;
  await startBackgroundServer(options);
  return 'started';
}

function isThisMachine(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
