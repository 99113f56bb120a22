// Reads the certificate and the key of a server, and checks that they can be used, so that a wrong file is an error with
// a sentence and not a handshake that fails.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { HearthError, messageOf } from '../errors.ts';
import { describeSystemError } from '../process/system-error.ts';
import { parseTimestamp } from '../time/timestamp.ts';
import { splitPem } from './split-pem.ts';

/** As in the settings; an empty path is absent. */
interface TlsSettings {
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly tlsClientCa: string;
  /** Where the server listens. */
  readonly host?: { readonly port: number } | { readonly socket: string };
}

export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  /** Clients must have a certificate of one of these authorities. */
  readonly clientCa?: string;
}

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
  /** Sentences about what is not wrong yet, or not wrong enough. */
  readonly warnings: readonly string[];
}

/** Undefined if the server has no TLS. */
export function toTlsPaths(settings: TlsSettings): TlsPaths | undefined {
  const { tlsCert: cert, tlsKey: key, tlsClientCa: clientCa, host } = settings;
  if (cert === '' && key === '' && clientCa === '') return undefined;
  if (host !== undefined && 'socket' in host)
    throw unusable(
      'a Unix socket has no TLS: unset HEARTH_TLS_CERT, HEARTH_TLS_KEY and HEARTH_TLS_CLIENT_CA, or set HEARTH_HOST to an address.',
    );
  if (cert === '' || key === '')
    throw unusable('TLS needs HEARTH_TLS_CERT and HEARTH_TLS_KEY; `hearth cert create` makes both files.');
  return { cert, key, ...(clientCa === '' ? {} : { clientCa }) };
}

/** `now`: milliseconds since the epoch. Throws `bad_configuration`. */
export async function readTlsFiles(paths: TlsPaths, now: number): Promise<TlsFiles> {
  const cert = await readPem(paths.cert);
  const key = await readPem(paths.key);
  const clientCa = paths.clientCa === undefined ? undefined : await readPem(paths.clientCa);
  const [certificate] = parseCertificates(cert.text, paths.cert);
  if (!certificate.checkPrivateKey(parseKey(key.text, paths.key)))
    throw unusable(`the key ${paths.key} does not belong to the first certificate in ${paths.cert}.`);
  if (clientCa !== undefined) parseCertificates(clientCa.text, paths.clientCa ?? '');
  const texts = { cert: cert.text, key: key.text };
  try {
    createSecureContext(texts);
  } catch (error) {
    throw unusable(`the certificate ${paths.cert} cannot be used: ${reasonOf(error)}.`, error);
  }
  return {
    ...texts,
    clientCa: clientCa?.text,
    warnings: [...keyWarnings(paths.key, key.mode), ...validityWarnings(certificate, paths.cert, now)],
  };
}

// The certificates of all public authorities together have a quarter of it.
const maxPemBytes = 2 ** 20;

/** Throws `bad_configuration`. */
export async function readPem(path: string): Promise<{ readonly text: string; readonly mode: number }> {
  try {
    const file = await open(path, 'r');
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new Error('it is not a file');
      if (info.size > maxPemBytes) throw new Error(`it is larger than ${maxPemBytes} bytes`);
      return { text: await file.readFile('utf8'), mode: info.mode };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unusable(`cannot read ${path}: ${describeSystemError(error)}.`, error);
  }
}

/** All certificates of a PEM file, at least one. Throws `bad_configuration`. */
export function parseCertificates(text: string, path: string): [X509Certificate, ...X509Certificate[]] {
  try {
    const [first, ...others] = splitPem(text, 'CERTIFICATE').map((block) => new X509Certificate(block));
    if (first !== undefined) return [first, ...others];
  } catch (error) {
    throw unusable(`a certificate in ${path} is not valid: ${reasonOf(error)}.`, error);
  }
  throw unusable(`${path} has no certificate in the PEM format.`);
}

function parseKey(text: string, path: string): KeyObject {
  // OpenSSL would ask for the passphrase on the terminal.
  if (text.includes('ENCRYPTED'))
    throw unusable(
      `the key ${path} has a passphrase. Store it without one, readable only by the user that runs the server.`,
    );
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw unusable(`${path} has no private key in the PEM format: ${reasonOf(error)}.`, error);
  }
}

const otherUsers = 0o007;

function keyWarnings(path: string, mode: number): string[] {
  // Windows has other permissions, which Node does not show.
  if (process.platform === 'win32' || (mode & otherUsers) === 0) return [];
  return [`the key ${path} is accessible to all users of this machine; run: chmod 600 ${path}`];
}

const millisecondsPerDay = 86_400_000;
const daysOfNotice = 14;

function validityWarnings({ validFrom, validTo }: X509Certificate, path: string, now: number): string[] {
  if (now < parseTimestamp(validFrom)) return [`the certificate ${path} is not valid before ${validFrom}`];
  const days = Math.floor((parseTimestamp(validTo) - now) / millisecondsPerDay);
  if (days < 0) return [`the certificate ${path} has expired: it was valid until ${validTo}`];
  return days < daysOfNotice ? [`the certificate ${path} expires in ${days} days: it is valid until ${validTo}`] : [];
}

/** Errors of OpenSSL have a short reason besides a message with codes and addresses. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'reason' in error ? String(error.reason) : messageOf(error);
}

function unusable(message: string, cause?: unknown): HearthError {
  return new HearthError('bad_configuration', message, { cause });
}
