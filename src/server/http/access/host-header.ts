// Checks that the Host header names this machine. A web page can let its own name resolve to the address of this server
// (DNS rebinding) and so pass the browser's same-origin check, but the browser still sends that name. The check does not
// depend on the address that the server listens on: rebinding reaches all of them.

import { BlockList, isIP } from 'node:net';
import { matchesWildcard } from '../../../base/text/wildcard.ts';

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

interface HostCheckOptions {
  readonly hostname: string;
  /** The addresses of this machine. A function, because networks come and go. */
  readonly addresses: () => readonly string[];
  /** The name or address that the server is configured to listen on. */
  readonly listensOn?: string;
  /** The setting: further names; each may contain one `*` as a wildcard. */
  readonly allowed?: readonly string[];
}

export function createHostCheck({ hostname, addresses, listensOn = '', allowed = [] }: HostCheckOptions) {
  // A name under .local is resolved by the local network, whose machines cannot reach a server on a loopback address.
  const allowsLocal = isLoopback(listensOn);
  const names = new Set(['localhost', ...namesOf(hostname), listensOn.toLowerCase()].filter((name) => name !== ''));
  const patterns = allowed.map((entry) => entry.toLowerCase());
  // "*" switches the check off; it verifies nothing.
  const specific = patterns.filter((pattern) => pattern !== '*');
  const isOwnAddress = (host: string): boolean => {
    const family = isIP(host);
    if (family === 0) return false;
    return localAddresses.check(host, family === 6 ? 'ipv6' : 'ipv4') || addresses().includes(host);
  };
  const verifies = (host: string): boolean =>
    names.has(host) ||
    host.endsWith('.localhost') ||
    specific.some((pattern) => matchesWildcard(pattern, host)) ||
    isOwnAddress(host);
  return {
    /** Whether the header surely names this server, so that an equal Origin is one of its own pages. */
    isVerified: (header: string | undefined): boolean => verifies(hostOf(header)),
    isAllowed(header: string | undefined): boolean {
      const host = hostOf(header);
      // Browsers always send a Host. The domain .internal is private by definition; containers use it for their host.
      const isPrivate = host.endsWith('.internal') || (allowsLocal && host.endsWith('.local'));
      return host === '' || verifies(host) || isPrivate || patterns.includes('*');
    },
  };
}

export type HostCheck = ReturnType<typeof createHostCheck>;

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The machine's name, its first label, and the name under which it announces itself on the local network. */
function namesOf(hostname: string): string[] {
  const full = hostname.toLowerCase();
  const [first = ''] = full.split('.', 1);
  return first === '' ? [] : [full, first, `${first}.local`];
}

/** Without the port and a final dot, in lower case. */
function hostOf(header = ''): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header) ?? [];
  const host = (bracketed ?? plain ?? header).toLowerCase();
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
