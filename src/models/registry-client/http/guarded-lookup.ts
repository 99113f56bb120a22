// Name lookups for connections. The checked addresses are the ones that the connection uses.

import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { HearthError } from '../../../base/errors.ts';
import { isWithinReach, type Reach } from './private-address.ts';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Like the system's lookup, but fails for names with an address outside the reach. */
export function createGuardedLookup(reach: Reach, resolve: Resolve = systemLookup): LookupFunction {
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
      else callback(privateAddressError(hostname), '', 0);
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

export function privateAddressError(hostname: string): HearthError {
  const message = `the registry redirects to ${hostname}, which is a private address: refused`;
  return new HearthError('registry_invalid_response', message);
}
