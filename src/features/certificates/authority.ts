// The local certificate authority: a key that signs the certificates of this machine, and a certificate that clients
// trust. It is created once, so that clients need to trust it once.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OwnTlsFiles } from '../../base/config/own-tls-files.ts';
import { HearthError, messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { parseTimestamp } from '../../base/time/timestamp.ts';
import { parseCertificates, readPem } from '../../base/tls/tls-files.ts';
import { type CertificateFields, type CertificateIssuer, writeCertificate } from './write-certificate.ts';

interface Authority extends CertificateIssuer {
  /** The time in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly isNew: boolean;
}

const lifetimeMs = 10 * 365.25 * 86_400_000;
// The clocks of clients may be slow.
const backdatingMs = 3_600_000;

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
  const notAfter = now + lifetimeMs;
  const authority = { subject, publicKey, privateKey, notAfter, isNew: true };
  await writePrivateFile(files.caKey, toPem(privateKey));
  await writePrivateFile(files.ca, writeCertificate({ subject, publicKey, ...startAt(now), notAfter }, authority));
  return authority;
}

/** The certificate's fields that do not depend on its use. */
export function startAt(now: number): Pick<CertificateFields, 'serial' | 'notBefore'> {
  return { serial: randomBytes(16), notBefore: now - backdatingMs };
}

export function toPem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

async function loadAuthority(files: OwnTlsFiles, now: number): Promise<Authority> {
  const [certificate] = parseCertificates((await readPem(files.ca)).text, files.ca);
  const notAfter = parseTimestamp(certificate.validTo);
  if (notAfter <= now) throw unusable(`the certificate authority has expired on ${certificate.validTo}`, files);
  try {
    const privateKey = createPrivateKey((await readPem(files.caKey)).text);
    if (!certificate.checkPrivateKey(privateKey)) throw new Error(`it does not belong to ${files.ca}`);
    // Our authorities have only a common name.
    const subject = certificate.subject.replace(/^CN=/, '');
    return { subject, privateKey, publicKey: createPublicKey(privateKey), notAfter, isNew: false };
  } catch (error) {
    throw unusable(`the key of the certificate authority, ${files.caKey}, cannot be used: ${messageOf(error)}`, files);
  }
}

function unusable(problem: string, { folder }: OwnTlsFiles): HearthError {
  const next = `or remove ${folder} and run the command again; clients must then trust the new authority`;
  return new HearthError('bad_configuration', `${problem}, ${next}.`);
}

/** Replaces the file. Only this user can read it, and it is complete at any time. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  await replaceFile(path, text);
}

export async function fileExists(path: string): Promise<boolean> {
  return (await undefinedIfMissing(stat(path))) !== undefined;
}
