// Whether a request comes from a program on this machine, or from a page of this server in a browser there. Such callers
// may name files of the server and, without keys, manage it.

import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../../base/errors.ts';
import { isSameOrigin } from './origin.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

// A reverse proxy on this machine connects from a loopback address on behalf of callers elsewhere.
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

type Caller = Pick<FastifyRequest, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

export function isFromThisMachine({ headers, socket }: Caller): boolean {
  const { origin, host } = headers;
  // Programs send no Origin. A page of another port of this machine may be anybody's.
  const isOwn = origin === undefined || isSameOrigin(origin, host);
  const { remoteAddress } = socket;
  const isNear = remoteAddress === socketPeer || isLoopback(remoteAddress);
  return isOwn && isNear && forwardingHeaders.every((name) => headers[name] === undefined);
}

/** Without keys, only programs on this machine may manage the server. */
export function requireKeyOrThisMachine(request: FastifyRequest, message: string): void {
  if (request.scope.key === undefined && !isFromThisMachine(request)) throw new HearthError('forbidden', message);
}

/** What stands for the address of a connection to a Unix socket, which has none. No address of a network is like it. */
export const socketPeer = 'unix';

// A dual-stack socket reports IPv4 addresses as IPv6.
export function isLoopback(remoteAddress: string | undefined): boolean {
  const address = (remoteAddress ?? '').replace(/^::ffff:/i, '');
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
