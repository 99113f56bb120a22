// Finds the server of a command. If none is running at the address and that is this machine, starts one in the
// background, which other commands use too.

import { socketPathOf } from '../../base/net/socket-path.ts';
import { findServer } from './find-server.ts';
import { type BackgroundServerOptions, startBackgroundServer } from './start-background-server.ts';

interface EnsureServerOptions extends BackgroundServerOptions {
  /** Whether the settings of this machine have a certificate. Otherwise, a server with TLS is another program. */
  readonly servesTls: boolean;
}

/** Throws if the server would have to run on another machine. */
export async function ensureServer(options: EnsureServerOptions): Promise<'running' | 'started'> {
  const { client, signal } = options;
  const failure = await findServer(client, signal);
  if (failure === undefined) return 'running';
  if (failure.kind === 'foreign' || !isThisMachine(client.url, options)) throw failure;
  await startBackgroundServer(options);
  return 'started';
}

function isThisMachine(url: string, { servesTls }: EnsureServerOptions): boolean {
  if (socketPathOf(url) !== undefined) return true;
  const { hostname, protocol } = new URL(url);
  return (protocol === 'https:') === servesTls && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
