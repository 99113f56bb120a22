// Resolves the host of a registry once. Requests connect to the addresses that were checked, so that a name which later
// resolves to another address does not change what the registry may refer to.

import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isAddress, type Reach, reachOf } from './private-address.ts';

export interface ResolvedHost {
  /** Empty if the host is an address, or if the name does not resolve. */
  readonly addresses: readonly LookupAddress[];
  /** How private the addresses may be to which the host directs the server. */
  readonly reach: Reach;
}

export type ResolveHost = (hostname: string) => Promise<ResolvedHost>;

export const resolveHost: ResolveHost = async (hostname) => {
  if (isAddress(hostname)) return { addresses: [], reach: reachOf([hostname]) };
  const addresses = await lookup(hostname, { all: true }).catch(() => []);
  return { addresses, reach: reachOf(addresses.map(({ address }) => address)) };
};

/** A proxy resolves the name: the address that it connects to is unknown. */
export const proxiedHost: ResolvedHost = { addresses: [], reach: 'public' };
