// Who a request comes from. Slots, the queue and the memory for bodies are shared between callers, and a caller sees
// and cancels only its own requests. This is the only place that decides what a caller is (docs/adr/0020).

import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { CallerKey } from '../../../base/request/caller-key.ts';
import type { ClientSeparation } from '../../../base/request/request-scope.ts';

type Sender = Pick<FastifyRequest, 'headers'> & {
  readonly ip: string | undefined;
  readonly raw: { readonly socket: Socket };
};

export type IdentifyCaller = (
  sender: Sender,
  key: Pick<CallerKey, 'id'> | undefined,
) => { readonly client: string; readonly partition?: string };

/**
 * A caller is the key, or the address for requests without one. Other headers do not count unless a setting says so: a
 * client could claim to be another one, or many. What the setting separates shares no evaluated prompts either.
 */
export function createIdentifyCaller(separation: ClientSeparation): IdentifyCaller {
  const markOf = createMark(separation);
  return (sender, key) => {
    // No address contains an underscore.
    if (key) return { client: `key_${key.id}` };
    const address = addressOf(sender);
    const mark = markOf(sender);
    if (mark === undefined) return { client: address };
    const client = `${address} ${mark}`;
    return { client, partition: client };
  };
}

/** What tells callers at one address apart. */
function createMark(separation: ClientSeparation): (sender: Sender) => string | undefined {
  if (separation === 'address') return () => undefined;
  if (separation === 'connection') {
    const numbers = new WeakMap<Socket, number>();
    let last = 0;
    return ({ raw: { socket } }) => {
      const number = numbers.get(socket) ?? ++last;
      numbers.set(socket, number);
      return `connection ${number}`;
    };
  }
  // The hash has the same length whatever a client sends.
  return ({ headers }) => {
    const value = headers[separation.header];
    return value === undefined ? undefined : createHash('sha256').update(String(value)).digest('hex').slice(0, 32);
  };
}

/** The first 64 bits of an IPv6 address count, because a single machine may use all addresses that begin with them. */
function addressOf(sender: Sender): string {
  const address = peerAddressOf(sender);
  return address.includes(':') ? networkOf(address) : address;
}

/** The address of the connection. A client that has closed its connection already may have none. */
export function peerAddressOf({ ip }: { readonly ip: string | undefined }): string {
  // A dual-stack socket reports IPv4 addresses as IPv6.
  return ip?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'closed';
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
