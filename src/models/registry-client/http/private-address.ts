// Recognizes private addresses: this machine and its network. A registry on the internet must not redirect to them.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const private4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
const private6 = [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const;
// IPv6 ranges with an embedded IPv4 address; `at` is the index of its first group.
const embedding6 = [
  { prefix: /^(0000:){5}(0000|ffff):/, at: 6 },
  { prefix: /^0064:ff9b:(0000:){4}/, at: 6 },
  { prefix: /^2002:/, at: 1 },
] as const;

const list = new BlockList();
for (const [net, prefix] of private4) list.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of private6) list.addSubnet(net, prefix, 'ipv6');

export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return list.check(plain, 'ipv4');
    case 6: {
      const inner = embeddedIpv4(plain);
      return list.check(plain, 'ipv6') || (inner !== undefined && list.check(inner, 'ipv4'));
    }
    default:
      return false;
  }
}

function embeddedIpv4(address: string): string | undefined {
  const full = expand6(address);
  const form = embedding6.find(({ prefix }) => prefix.test(full));
  if (form === undefined) return undefined;
  const [high = 0, low = 0] = full
    .split(':')
    .slice(form.at, form.at + 2)
    .map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Eight groups of hex digits. */
function expand6(address: string): string {
  const hex = address.toLowerCase().replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const group = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
  const [head = '', tail] = hex.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(':');
}

/** Looks at the name only, without DNS. */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || isPrivateAddress(name);
}

/**
 * Resolves the name. All of its addresses must be private: a hostile name can resolve to private and public ones. A
 * name that does not resolve is not private.
 */
export async function resolvesToPrivate(hostname: string): Promise<boolean> {
  if (isPrivateHost(hostname)) return true;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  const addresses = await lookup(hostname, { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => isPrivateAddress(address));
}
