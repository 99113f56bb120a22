// `hearth cert create`: a certificate for this machine, signed by its own authority. `hearth cert show` describes it.

import { generateKeyPairSync, type X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { ownTlsFiles } from '../../base/config/own-tls-files.ts';
import { badRequest, HearthError } from '../../base/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import { parseCertificates, readPem } from '../../base/tls/tls-files.ts';
import { fileExists, loadOrCreateAuthority, startAt, toPem, writePrivateFile } from './authority.ts';
import {
  type CertificateName,
  listMachineNames,
  type NamedMachine,
  parseCertificateName,
} from './certificate-names.ts';
import { writeCertificate } from './write-certificate.ts';

export interface CertificateRequest {
  /** In addition to those of this machine. */
  readonly names: readonly string[];
  readonly days: number;
}

export interface OwnCertificate {
  readonly files: ReturnType<typeof ownTlsFiles>;
  readonly names: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly issuer: string;
  /** SHA-256 of the authority, to compare on the machine that trusts it. */
  readonly authorityFingerprint: string;
}

// Apple's systems refuse server certificates that are valid for longer.
const maxDays = 825;
const maxNames = 100;
const millisecondsPerDay = 86_400_000;

/** Resolves with whether the authority is new, too. Throws `bad_request` or `bad_configuration`. */
export async function createCertificate(
  request: CertificateRequest,
  { files = ownTlsFiles(), machine = thisMachine(), clock = systemClock } = {},
): Promise<OwnCertificate & { readonly isNewAuthority: boolean }> {
  const { days } = request;
  if (!Number.isInteger(days) || days < 1 || days > maxDays)
    throw badRequest(`a certificate can be valid for 1 to ${maxDays} days, not ${days}`);
  const requested = request.names.map(parseName);
  const former = await showCertificate(files);
  // Names that were given before stay; addresses come and go with networks.
  const kept = (former?.names ?? []).map(parseName).filter(({ kind }) => kind === 'dns');
  const names = unique([...listMachineNames(machine).map(parseName), ...kept, ...requested]);
  if (names.length > maxNames) throw badRequest(`a certificate can have ${maxNames} names, not ${names.length}`);

  const now = clock.now();
  const authority = await loadOrCreateAuthority(files, { hostname: machine.hostname, now });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = writeCertificate(
    {
      ...startAt(now),
      subject: names.find(({ text }) => text !== 'localhost')?.text ?? 'localhost',
      publicKey,
      notAfter: Math.min(now + days * millisecondsPerDay, authority.notAfter),
      names,
    },
    authority,
  );
  // The key first: a server that sees the new certificate needs it.
  await writePrivateFile(files.key, toPem(privateKey));
  await writePrivateFile(files.cert, certificate);
  const created = await showCertificate(files);
  if (created === undefined) throw new HearthError('internal', `${files.cert} was removed after it was written`);
  return { ...created, isNewAuthority: authority.isNew };
}

/** Undefined if there is none. Throws `bad_configuration` if it cannot be read. */
export async function showCertificate(files = ownTlsFiles()): Promise<OwnCertificate | undefined> {
  if (!(await fileExists(files.cert))) return undefined;
  const [certificate] = parseCertificates((await readPem(files.cert)).text, files.cert);
  const [authority] = parseCertificates((await readPem(files.ca)).text, files.ca);
  return {
    files,
    names: namesOf(certificate),
    notAfter: parseTimestamp(certificate.validTo),
    issuer: certificate.issuer.replace(/^CN=/, ''),
    authorityFingerprint: authority.fingerprint256,
  };
}

/** Node writes them as `DNS:localhost, IP Address:127.0.0.1`. */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const name = /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? '';
    // The usual form of an IPv6 address.
    return parseCertificateName(name)?.text ?? [];
  });
}

function parseName(text: string): CertificateName {
  const name = parseCertificateName(text);
  if (name === undefined) throw badRequest(`${JSON.stringify(text)} is not a host name or an address`);
  return name;
}

function unique(names: readonly CertificateName[]): CertificateName[] {
  return [...new Map(names.map((name) => [name.text, name])).values()];
}

function thisMachine(): NamedMachine {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address),
  );
  return { hostname: hostname(), addresses };
}
