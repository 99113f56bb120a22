// Name lookups for connections. The checked addresses are the ones that the connection uses.

import type { LookupAddress } from 'node:dns';
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isAddress, isWithinReach, type Reach, reachOf } from './private-address.ts';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface GuardOptions {
  readonly reach: Reach;
  /** The error for a name with an address outside the reach. */
  readonly refuse: (hostname: string) => Error;
  readonly resolve?: Resolve;
}

/** Like the system's lookup, but fails for names with an address outside the reach. */
export function createGuardedLookup({ reach, refuse, resolve = systemLookup }: GuardOptions): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const isWithin = isWithinReach(
        addresses.map(({ address }) => address),
        reach,
      );
      if (isWithin) pass(addresses, options, callback);
      else callback(refuse(hostname), '', 0);
    });
  };
}

/** Gives these addresses for every name. */
export function createPinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, callback) => pass([...addresses], options, callback);
}

function pass(
  addresses: LookupAddress[],
  options: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (options.all) callback(null, addresses);
  else callback(null, first?.address ?? '', first?.family ?? 4);
}

export interface ResolvedHost {
  /** Empty if the host is an address, or if the name does not resolve. */
  readonly addresses: readonly LookupAddress[];
  /** The most private addresses that the host may direct the server to. */
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
