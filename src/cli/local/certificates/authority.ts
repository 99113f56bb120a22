// The local certificate authority: a key that signs the certificates of this machine, and a certificate that clients
// trust. It is created once, so that clients need to trust it once.

import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type X509Certificate } from 'node:crypto';
import type { OwnTlsFiles } from '../../../base/config/own-tls-files.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { parseTimestamp } from '../../../base/time/timestamp.ts';
import { parseCertificates, readPem } from '../../../base/tls/tls-files.ts';
import { type CertificateIssuer, writeCertificate } from '../../../formats/x509/write-certificate.ts';
import { fileExists, writePrivateFile } from './private-file.ts';

export interface Authority extends CertificateIssuer {
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  readonly isNew: boolean;
}

const authorityYears = 10;
const millisecondsPerYear = 365.25 * 86_400_000;
// The clocks of clients may be slow.
export const backdating = 3_600_000;
export const serialBytes = 16;

/** `now`: milliseconds since the epoch. Throws `bad_configuration` if the files cannot be used. */
export async function loadOrCreateAuthority(
  files: OwnTlsFiles,
  { hostname, now }: { readonly hostname: string; readonly now: number },
): Promise<Authority> {
  const [hasCertificate, hasKey] = [await fileExists(files.ca), await fileExists(files.caKey)];
  if (!hasCertificate && !hasKey) return createAuthority(files, `Hearth CA of ${hostname}`, now);
  if (hasCertificate && hasKey) return loadAuthority(files, now);
  const missing = hasKey ? files.ca : files.caKey;
  throw unusable(`the certificate authority is incomplete: ${missing} is missing. Restore it`, files);
}

async function createAuthority(files: OwnTlsFiles, subject: string, now: number): Promise<Authority> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { subject, publicKey, privateKey };
  const notAfter = now + authorityYears * millisecondsPerYear;
  const certificate = writeCertificate(
    {
      subject,
      publicKey,
      serial: randomBytes(serialBytes),
      notBefore: now - backdating,
      notAfter,
      usage: { kind: 'authority' },
    },
    issuer,
  );
  await writePrivateFile(files.caKey, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  await writePrivateFile(files.ca, certificate);
  return { ...issuer, notAfter, isNew: true };
}

async function loadAuthority(files: OwnTlsFiles, now: number): Promise<Authority> {
  const [certificate] = parseCertificates((await readPem(files.ca)).text, files.ca);
  const notAfter = parseTimestamp(certificate.validTo);
  if (notAfter <= now) throw unusable(`the certificate authority has expired on ${certificate.validTo}`, files);
  try {
    const privateKey = createPrivateKey((await readPem(files.caKey)).text);
    if (!certificate.checkPrivateKey(privateKey)) throw new Error(`it does not belong to ${files.ca}`);
    return {
      subject: subjectOf(certificate),
      privateKey,
      publicKey: createPublicKey(privateKey),
      notAfter,
      isNew: false,
    };
  } catch (error) {
    throw unusable(`the key of the certificate authority, ${files.caKey}, cannot be used: ${messageOf(error)}`, files);
  }
}

/** Our authorities have only a common name. */
function subjectOf({ subject }: X509Certificate): string {
  return subject.replace(/^CN=/, '');
}

function unusable(problem: string, { folder }: OwnTlsFiles): HearthError {
  const next = `or remove ${folder} and run the command again; clients must then trust the new authority`;
  return new HearthError('bad_configuration', `${problem}, ${next}.`);
}
