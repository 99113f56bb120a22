// The scope of an address: the internet, a private network, this machine, or reserved. A registry must not direct the
// server to a scope that is more private than its own, and a remote must not be at a reserved address.

import { BlockList, isIP } from 'node:net';

/** From the most public to the most private. */
const scopes = ['public', 'private', 'loopback', 'reserved'] as const;
type AddressScope = (typeof scopes)[number];
/** Reserved addresses are reached only if the caller names them. */
export type Reach = Exclude<AddressScope, 'reserved'>;

interface Ranges {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

const ranges: Readonly<Record<Exclude<AddressScope, 'public'>, Ranges>> = {
  private: { ipv4: ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'], ipv6: ['fc00::/7'] },
  loopback: { ipv4: ['127.0.0.0/8'], ipv6: ['::1/128'] },
  // Link-local addresses include the metadata services of cloud providers; two of them have other addresses.
  reserved: {
    ipv4: [
      '0.0.0.0/8',
      '100.100.100.200/32',
      '169.254.0.0/16',
      '192.0.0.0/24',
      '198.18.0.0/15',
      '224.0.0.0/4',
      '240.0.0.0/4',
    ],
    ipv6: ['::/128', 'fd00:ec2::254/128', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  },
};

// IPv6 ranges with an embedded IPv4 address; `at` is the index of its first group.
const embedding6 = [
  { prefix: '0000:0000:0000:0000:0000:0000:', at: 6 },
  { prefix: '0000:0000:0000:0000:0000:ffff:', at: 6 },
  { prefix: '0000:0000:0000:0000:ffff:0000:', at: 6 },
  { prefix: '0064:ff9b:0000:0000:0000:0000:', at: 6 },
  { prefix: '2002:', at: 1 },
] as const;

const lists = new Map(Object.entries(ranges).map(([scope, nets]) => [scope as AddressScope, toBlockList(nets)]));

function toBlockList(nets: Ranges): BlockList {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const net of nets[family]) {
      const [address = '', prefix] = net.split('/');
      list.addSubnet(address, Number(prefix), family);
    }
  }
  return list;
}

/** Undefined if the text is not an address. */
function scopeOf(address: string): AddressScope | undefined {
  const plain = toPlainAddress(address);
  switch (isIP(plain)) {
    case 4:
      return find(plain, 'ipv4');
    case 6: {
      const own = find(plain, 'ipv6');
      const inner = embeddedIpv4(plain);
      return inner === undefined || own !== 'public' ? own : find(inner, 'ipv4');
    }
    default:
      return undefined;
  }
}

function find(address: string, family: 'ipv4' | 'ipv6'): AddressScope {
  return scopes.findLast((scope) => lists.get(scope)?.check(address, family)) ?? 'public';
}

/** Without brackets and zone. */
function toPlainAddress(text: string): string {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const zone = inner.indexOf('%');
  return zone < 0 ? inner : inner.slice(0, zone);
}

export function isPrivateAddress(address: string): boolean {
  return (scopeOf(address) ?? 'public') !== 'public';
}

export function isAddress(hostname: string): boolean {
  return scopeOf(hostname) !== undefined;
}

/** Whether all addresses are: a hostile name can resolve to private and public ones. */
export function isWithinReach(addresses: readonly string[], reach: Reach): boolean {
  return addresses.every((address) => scopes.indexOf(scopeOf(address) ?? 'reserved') <= scopes.indexOf(reach));
}

/** The reach of a host with these addresses. */
export function reachOf(addresses: readonly string[]): Reach {
  const found = addresses.map((address) => scopeOf(address) ?? 'public');
  const scope = scopes.find((each) => found.includes(each)) ?? 'public';
  return scope === 'reserved' ? 'public' : scope;
}

export function narrower(a: Reach, b: Reach): Reach {
  return scopes.indexOf(a) < scopes.indexOf(b) ? a : b;
}

function embeddedIpv4(address: string): string | undefined {
  const full = expand6(address);
  const form = embedding6.find(({ prefix }) => full.startsWith(prefix));
  if (form === undefined) return undefined;
  const [high = 0, low = 0] = full
    .split(':')
    .slice(form.at, form.at + 2)
    .map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Eight groups of four hex digits. */
function expand6(address: string): string {
  const [head = '', tail] = withoutDots(address.toLowerCase()).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(':');
}

/** Writes an IPv4 address at the end as two groups. */
function withoutDots(address: string): string {
  const at = address.lastIndexOf(':') + 1;
  const bytes = address.slice(at).split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  if (bytes.length !== 4) return address;
  return `${address.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** Looks at the name only, without DNS. */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || isPrivateAddress(name);
}
