// The names that a certificate is valid for: DNS names and IP addresses.

import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

export type CertificateName =
  | { readonly kind: 'dns'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string; readonly bytes: Uint8Array };

const maxNameLength = 253;
// Everything else would have a meaning in a URL, or be dropped.
const nameCharacters = /^[\p{L}\p{M}\p{N}._*-]+$/u;
// Letters, digits and hyphens, also underscores, which names of machines have. The first label may be a wildcard.
const dnsName = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;

/** Undefined if the text is neither a host name nor an address. */
export function parseCertificateName(text: string): CertificateName | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) !== 0) return bare.includes('%') ? undefined : parseAddress(bare);
  if (text.length > maxNameLength || !nameCharacters.test(text)) return undefined;
  const isWildcard = text.startsWith('*.');
  // Names with other letters have an ASCII form. The function returns an empty text for an invalid name.
  const ascii = domainToASCII(isWildcard ? text.slice(2) : text);
  const name = isWildcard ? `*.${ascii}` : ascii;
  if (ascii === '' || isIP(ascii) !== 0 || name.length > maxNameLength || !dnsName.test(name)) return undefined;
  return { kind: 'dns', text: name };
}

function parseAddress(address: string): CertificateName {
  if (isIPv4(address)) return { kind: 'address', text: address, bytes: Uint8Array.from(address.split('.'), Number) };
  // The URL parser writes every IPv6 address as hexadecimal groups with at most one `::`.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  return { kind: 'address', text, bytes: toBytes(text) };
}

/** The 16 bytes of an IPv6 address. */
function toBytes(address: string): Uint8Array {
  const [before = '', after = ''] = address.split('::');
  const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const [start, end] = [groupsOf(before), groupsOf(after)];
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  return Uint8Array.from(
    [...start, ...zeros, ...end].flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}
