// Which servers a client trusts, and how it identifies itself to servers that ask. Connections share one context:
// reading the public authorities takes a tenth of a second.

import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { parseCertificates, readPem } from './tls-files.ts';

/** Paths; empty if absent. */
export interface ClientTls {
  /** Authorities that are trusted besides the public ones. */
  readonly ca: string;
  /** Used instead of `ca` if that is absent and this file is of this user. */
  readonly ownCa: string;
  /** Authorities that Node adds to the public ones, unless it gets a list. */
  readonly nodeCa: string;
  /** The certificate that the client shows, and its key. */
  readonly cert: string;
  readonly key: string;
}

/** Undefined: the defaults of Node apply. Throws `bad_configuration`. */
export async function createClientContext(
  options: ClientTls,
  { showsCertificate }: { readonly showsCertificate: boolean },
): Promise<SecureContext | undefined> {
  const authorities = await readAuthorities(options);
  const identity = showsCertificate ? await readIdentity(options) : undefined;
  if (authorities === undefined && identity === undefined) return undefined;
  const ca =
    authorities === undefined ? {} : { ca: [...rootCertificates, ...(await readNodeCa(options)), authorities] };
  return createSecureContext({ ...ca, ...identity });
}

/** PEM text; undefined if there are none besides those of Node. Throws `bad_configuration`. */
export async function readAuthorities({ ca, ownCa }: Pick<ClientTls, 'ca' | 'ownCa'>): Promise<string | undefined> {
  const path = ca === '' && (await isOfThisUser(ownCa)) ? ownCa : ca;
  if (path === '') return undefined;
  const { text } = await readPem(path);
  parseCertificates(text, path);
  return text;
}

const writableByOthers = 0o022;

/** Nobody else can have written it. */
async function isOfThisUser(path: string): Promise<boolean> {
  try {
    const { uid, mode } = await stat(path);
    // Windows has no such numbers, and the home folder is private there.
    return process.getuid === undefined || (uid === process.getuid() && (mode & writableByOthers) === 0);
  } catch {
    return false;
  }
}

async function readNodeCa({ nodeCa }: ClientTls): Promise<string[]> {
  if (nodeCa === '') return [];
  // Node only warns if it cannot read the file.
  return readFile(nodeCa, 'utf8').then(
    (text) => [text],
    () => [],
  );
}

/** A user who cannot read the key of the server can still be its client. */
async function readIdentity({ cert, key }: ClientTls): Promise<{ cert: string; key: string } | undefined> {
  if (cert === '' || key === '') return undefined;
  try {
    return { cert: (await readPem(cert)).text, key: (await readPem(key)).text };
  } catch {
    return undefined;
  }
}
