// Addresses that no remote has: link-local ones, among them the metadata services of cloud providers, and other reserved
// ones. Only administrators add remotes, and most are in a private network or on this machine, so these are allowed.

import type { LookupFunction } from 'node:net';
import { type ErrorCode, HearthError } from '../../../base/errors.ts';
import { createGuardedLookup } from '../../../base/net/guarded-lookup.ts';
import { isAddress, isWithinReach } from '../../../base/net/private-address.ts';

const reach = 'loopback';

/** Throws an error with this code if the host is such an address. The lookup checks names. */
export function checkReachable(hostname: string, remote: string, code: ErrorCode): void {
  if (isAddress(hostname) && !isWithinReach([hostname], reach))
    throw new HearthError(code, `the remote "${remote}" cannot be at ${hostname}: ${why}`);
}

const why = 'the address is link-local or reserved, which no remote can have';

/** Checks the addresses that a connection is made to. */
export const remoteLookup: LookupFunction = createGuardedLookup({
  reach,
  refuse: (hostname) => new HearthError('remote_failed', `${hostname} leads to a wrong address: ${why}`),
});
