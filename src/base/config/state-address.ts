// The address of a PostgreSQL database, in the form that its own programs use.

import { isIP } from 'node:net';
import type { SettingKind } from './kinds.ts';

export interface DatabaseAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Empty: none, or the file of another setting has it. */
  readonly password: string;
  readonly database: string;
  /** Whether the connection is encrypted, and whether the certificate of the server is checked. */
  readonly tls: 'disable' | 'require' | 'verify-full';
}

const tlsModes = ['disable', 'require', 'verify-full'] as const;
// The limit of PostgreSQL for names.
const maxNameBytes = 63;
const maxPasswordBytes = 1024;
const maxAddressCharacters = 4096;
const hostPattern = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
const parameters = new Set(['host', 'port', 'sslmode']);

/** Empty for none. */
export const stateAddress: SettingKind<DatabaseAddress | ''> = {
  name: 'address',
  expects:
    'an address such as postgres://user@host:5432/database, with ?sslmode=disable, require or verify-full, or with ?host=/run/postgresql for the folder of a Unix socket',
  secret: true,
  parse(text) {
    if (text === '') return '';
    if (text.length > maxAddressCharacters || !/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
      return undefined;
    return parseDatabaseUrl(new URL(text));
  },
};

function parseDatabaseUrl({ hostname, port, username, password, pathname, searchParams, hash }: URL) {
  if (hash !== '' || [...searchParams.keys()].some((name) => !parameters.has(name))) return undefined;
  const host = parseHost(searchParams.get('host') ?? hostname);
  const portNumber = parsePort(searchParams.get('port') ?? port);
  const user = decodeText(username, maxNameBytes);
  const secret = decodeText(password, maxPasswordBytes);
  const database = decodeText(pathname.slice(1), maxNameBytes);
  if (host === undefined || portNumber === undefined || secret === undefined || !user || !database) return undefined;
  const chosen = searchParams.get('sslmode') ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  const tls = tlsModes.find((mode) => mode === chosen);
  return tls === undefined ? undefined : { host, port: portNumber, user, password: secret, database, tls };
}

function parseHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (host.startsWith('/')) return /^[\x21-\x7e]{1,100}$/.test(host) ? host : undefined;
  return isIP(host) !== 0 || hostPattern.test(host) ? host : undefined;
}

function parsePort(text: string): number | undefined {
  if (text === '') return 5432;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** Undefined if the text is too long, or has a control character or a wrong escape. */
function decodeText(text: string, maxBytes: number): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return Buffer.byteLength(decoded) <= maxBytes && !/\p{Cc}/u.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function isOnThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\./.test(host);
}
