// Checks that the Host header names this machine. A web page can let its own name resolve to 127.0.0.1 (DNS rebinding)
// and so pass the browser's same-origin check, but the browser still sends that name. The check is only for servers
// that listen on a loopback address; the names of other servers are not known here.

import { BlockList, isIP } from 'node:net';

const localAddresses = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['0.0.0.0', 32],
] as const) {
  localAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::1', 128],
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  localAddresses.addSubnet(network, prefix, 'ipv6');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function isLoopback(address: string): boolean {
  if (address === 'localhost') return true;
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a connection comes from this machine. A dual-stack socket reports IPv4 addresses as IPv6. */
export function isFromThisMachine(address: string | undefined): boolean {
  return address !== undefined && isLoopback(address.replace(/^::ffff:/i, ''));
}

export interface Machine {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

export type HostCheck = (header: string | undefined) => boolean;

export function createHostCheck({ hostname, addresses }: Machine): HostCheck {
  return (header) => {
    const host = withoutPort(header ?? '').toLowerCase();
    if (host === '' || host === 'localhost' || host === hostname.toLowerCase()) return true;
    if (/\.(localhost|local|internal)$/.test(host)) return true;
    const family = isIP(host);
    if (family === 0) return false;
    return addresses.includes(host) || localAddresses.check(host, family === 6 ? 'ipv6' : 'ipv4');
  };
}

function withoutPort(header: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header) ?? [];
  return bracketed ?? plain ?? header;
}
