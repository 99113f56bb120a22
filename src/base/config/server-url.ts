// The URL that clients use, derived from the setting that defines where the server listens.

import { socketPathOf, toSocketUrl } from '../net/socket-path.ts';
import type { ListenAddress, SocketAddress } from './kinds.ts';

// Wildcard addresses are valid for listening, not for connecting.
const connectable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Without a trailing slash, so that paths can be appended. `servesTls`: a server with these settings has a certificate,
 * so that an address without a scheme means https.
 */
export function toServerUrl(address: ListenAddress | SocketAddress, { servesTls = false } = {}): string {
  if ('socket' in address) return toSocketUrl(address.socket);
  const { host, port, secure = servesTls, path = '' } = address;
  const name = connectable[host] ?? host;
  const authority = name.includes(':') ? `[${name}]` : name;
  const schemePort = secure ? 443 : 80;
  return `${secure ? 'https' : 'http'}://${authority}${port === schemePort ? '' : `:${port}`}${path}`;
}

/** Whether a server at this address runs on this machine. */
export function isLoopbackUrl(url: string): boolean {
  return (
    socketPathOf(url) !== undefined ||
    /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname)
  );
}
