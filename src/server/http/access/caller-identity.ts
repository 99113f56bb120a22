// Who a request comes from. Slots, the queue and the memory for bodies are shared between callers, and a caller sees
// and cancels only its own requests. This is the only place that decides what a caller is (docs/adr/0020).

import type { FastifyRequest } from 'fastify';
import type { CallerKey } from '../../../base/request/caller-key.ts';

/**
 * The key, or the address of the connection for requests without one. Other headers do not count: a client could claim to be another one, or many. Of an IPv6
 * address, the first 64 bits count, because a single machine may use all addresses that begin with them.
 */
export function callerIdentity({ ip }: Pick<FastifyRequest, 'ip'>, key?: Pick<CallerKey, 'id'>): string {
  // No address contains an underscore.
  if (key) return `key_${key.id}`;
  // A dual-stack socket reports IPv4 addresses as IPv6.
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return address.includes(':') ? networkOf(address) : address;
}

/** The first four of the eight groups of an IPv6 address. */
function networkOf(address: string): string {
  const [before, after = ''] = address.split('::') as [string, string?];
  const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const [start, end] = [groupsOf(before), groupsOf(after)];
  // `::` stands for the groups that are missing.
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0');
  const groups = [...start, ...zeros, ...end].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
