// Under which address a request has reached the library. A signed request for a token covers it, and that is what keeps
// another server, to which somebody signed in, from passing the request on and having a token for this one: a name in
// the Host header counts only when it is this library's.

import { isIPv6 } from 'node:net';

export interface ConnectionInfo {
  readonly host: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
}

/** http://host:port, without a slash at its end; undefined when the library is not known by that name. */
export type BaseUrlResolver = (arrival: ConnectionInfo) => string | undefined;

export interface BaseUrlOptions {
  /** What the person who runs it says; then nothing else counts. */
  readonly url?: string;
  readonly hostname: string;
}

export function createBaseUrlResolver({ url, hostname }: BaseUrlOptions): BaseUrlResolver {
  if (url !== undefined) return () => url.replace(/\/+$/, '');
  const name = hostname.toLowerCase();
  return ({ host, localAddress, localPort }) => {
    if (host === undefined || localAddress === undefined || localPort === undefined) return undefined;
    // A socket that listens everywhere writes IPv4 as IPv6.
    const address = localAddress.replace(/^::ffff:/i, '');
    const names = [isIPv6(address) ? `[${address}]` : address, name, `${name}.local`];
    if (address === '::1' || address.startsWith('127.')) names.push('localhost');
    const known = names.flatMap((each) => [`${each}:${localPort}`, ...(localPort === 80 ? [each] : [])]);
    return known.includes(host.toLowerCase()) ? `http://${host}` : undefined;
  };
}

export function serviceOf(address: string): string {
  return address.replace(/^https?:\/\//, '');
}
