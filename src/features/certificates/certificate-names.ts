// The names that a certificate is valid for: DNS names and IP addresses.

import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

export interface CertificateName {
  readonly kind: 'dns' | 'address';
  readonly text: string;
}

const maxNameLength = 253;
// Everything else would have a meaning in a URL, or be dropped.
const nameCharacters = /^[\p{L}\p{M}\p{N}._*-]+$/u;
// Letters, digits and hyphens, also underscores, which names of machines have. The first label may be a wildcard.
const dnsName = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;

/** Undefined if the text is neither a host name nor an address. */
export function parseCertificateName(text: string): CertificateName | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) !== 0) return bare.includes('%') ? undefined : { kind: 'address', text: normalizeAddress(bare) };
  if (text.length > maxNameLength || !nameCharacters.test(text)) return undefined;
  const isWildcard = text.startsWith('*.');
  // Names with other letters have an ASCII form. The function returns an empty text for an invalid name.
  const ascii = domainToASCII(isWildcard ? text.slice(2) : text);
  const name = isWildcard ? `*.${ascii}` : ascii;
  if (ascii === '' || isIP(ascii) !== 0 || name.length > maxNameLength || !dnsName.test(name)) return undefined;
  return { kind: 'dns', text: name };
}

/** The URL parser writes every IPv6 address as hexadecimal groups with at most one `::`. */
function normalizeAddress(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);
}

export interface NamedMachine {
  readonly hostname: string;
  /** The addresses of its network interfaces. */
  readonly addresses: readonly string[];
}

const loopback = ['127.0.0.1', '::1'];
// A link-local address is valid only together with an interface, so that no URL has it.
const linkLocal = /^fe[89ab]/i;

/** The names under which clients reach this machine, without those that a certificate cannot have. */
export function listMachineNames({ hostname, addresses }: NamedMachine): string[] {
  const full = hostname.toLowerCase();
  const [first = ''] = full.split('.', 1);
  const names = ['localhost', full, first, `${first}.local`, ...loopback, ...addresses];
  return [...new Set(names)].filter((name) => !linkLocal.test(name) && parseCertificateName(name) !== undefined);
}
