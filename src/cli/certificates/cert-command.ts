// hearth cert create, show: a certificate authority and a certificate for this machine.

import { HearthError } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import type { CommandSpec } from '../command.ts';
import { formatMoment, safeLine } from '../output/format.ts';
import { trustText } from './trust-text.ts';

export interface ShownCertificate {
  readonly files: {
    readonly ca: string;
    readonly caKey: string;
    readonly cert: string;
    readonly key: string;
  };
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  readonly issuer: string;
  readonly authorityFingerprint: string;
}

/** Certificates are files of this machine, so no server is involved. */
export interface CertificatePorts {
  create(request: {
    readonly names: readonly string[];
    readonly days: number;
  }): Promise<ShownCertificate & { readonly isNewAuthority: boolean }>;
  /** Undefined if there is none. */
  show(): Promise<ShownCertificate | undefined>;
}

const defaultDays = 365;

export function certCommand(ports: CertificatePorts): CommandSpec {
  return {
    name: 'cert',
    summary: 'Create a certificate for TLS',
    examples: ['hearth cert create'],
    commands: [createCommand(ports), showCommand(ports)],
  };
}

function createCommand({ create }: CertificatePorts): CommandSpec {
  return {
    name: 'create',
    summary: 'Create or renew the certificate of this machine',
    description:
      'It is signed by a certificate authority of its own, which is created first if there is none, and which clients must trust once. The certificate is valid for the names and addresses of this machine. A server that uses it takes a renewed one without a restart.',
    options: [
      { flags: '--name <host...>', help: 'Further names or addresses under which clients reach this machine' },
      { flags: '--days <number>', help: `How long it is valid, at most 825 (default ${defaultDays})` },
    ],
    examples: ['hearth cert create', 'hearth cert create --name models.example --days 90'],
    async execute({ terminal, clock }, { options }) {
      const names = (options['name'] as readonly string[] | undefined) ?? [];
      const created = await create({ names, days: Number(options['days'] ?? defaultDays) });
      const { files, isNewAuthority } = created;
      const wrote = [...(isNewAuthority ? ([files.ca, files.caKey] as const) : []), files.cert, files.key];
      terminal.stdout.write(`Wrote\n${wrote.map((path) => `  ${describeFile(path, files)}\n`).join('')}\n`);
      terminal.stdout.write(`${describe(created, clock.now())}\n`);
      terminal.stdout.write(useText(created));
      return undefined;
    },
  };
}

function showCommand({ show }: CertificatePorts): CommandSpec {
  return {
    name: 'show',
    summary: 'Show the certificate of this machine',
    examples: ['hearth cert show'],
    async execute({ terminal, clock }) {
      const shown = await show();
      if (shown === undefined)
        throw new HearthError('bad_request', 'there is no certificate: create one with `hearth cert create`');
      terminal.stdout.write(`${describe(shown, clock.now())}\n${useText(shown)}`);
      return undefined;
    },
  };
}

function describeFile(path: string, { ca, caKey, cert }: ShownCertificate['files']): string {
  if (path === ca) return `${safeLine(path)}   the authority, which clients must trust`;
  if (path === caKey) return `${safeLine(path)}   its key: keep it secret, servers do not need it`;
  return `${safeLine(path)}   ${path === cert ? 'the certificate' : 'its key'}`;
}

function describe({ names, notAfter, issuer, authorityFingerprint }: ShownCertificate, now: number): string {
  const rows: readonly (readonly [string, string])[] = [
    ['names', names.join(', ')],
    ['valid until', `${formatTimestamp(notAfter).slice(0, 10)} (${formatMoment(notAfter, now)})`],
    ['signed by', issuer],
    ['SHA-256 of it', authorityFingerprint],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${safeLine(value)}\n`).join('');
}

function useText({ files: { ca, cert, key } }: ShownCertificate): string {
  const settings = [
    ['tls_cert', cert],
    ['tls_key', key],
  ].map(([name, path]) => `  ${name} = ${JSON.stringify(path)}\n`);
  const trust = trustText(ca);
  return `To use it, add to ~/.hearth/config.toml:\n${settings.join('')}\nCommands of this user trust it. Other programs:\n${trust}`;
}
