// The base URL that a request used to reach the registry. Signed token requests cover it, so that another server cannot
// relay a token request signed for itself and obtain a token for this one. The Host header counts only if it names this
// registry.

import { isIPv6 } from 'node:net';

interface ConnectionInfo {
  readonly host: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
}

/** `http://host:port` without a trailing slash; undefined if the Host header does not name this registry. */
export type BaseUrlResolver = (arrival: ConnectionInfo) => string | undefined;

interface BaseUrlOptions {
  /** Configured by the operator; overrides everything else. */
  readonly url?: string;
  readonly hostname: string;
  readonly scheme?: keyof typeof schemePorts;
}

const schemePorts = { http: 80, https: 443 } as const;

export function createBaseUrlResolver({ url, hostname, scheme = 'http' }: BaseUrlOptions): BaseUrlResolver {
  if (url !== undefined) {
    let end = url.length;
    while (url.charAt(end - 1) === '/') end--;
    return () => url.slice(0, end);
  }
  const name = hostname.toLowerCase();
  return ({ host, localAddress, localPort }) => {
    if (host === undefined || localAddress === undefined || localPort === undefined) return undefined;
    // A dual-stack socket reports IPv4 addresses as IPv6.
    const address = localAddress.replace(/^::ffff:/i, '');
    const names = [isIPv6(address) ? `[${address}]` : address, name, `${name}.local`];
    if (address === '::1' || address.startsWith('127.')) names.push('localhost');
    const known = names.flatMap((each) => [
      `${each}:${localPort}`,
      ...(localPort === schemePorts[scheme] ? [each] : []),
    ]);
    return known.includes(host.toLowerCase()) ? `${scheme}://${host}` : undefined;
  };
}

export function serviceOf(address: string): string {
  return address.replace(/^https?:\/\//, '');
}
