// The key of an endpoint. Records name a file or a variable; the key itself is read for each request, so that a new key
// needs no restart, and is never stored or logged.

import { readFile, stat } from 'node:fs/promises';
import { badConfiguration } from '../../../base/errors.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const maxBytes = 16 * 1024;
const readableByOthers = 0o077;

/** `reference`: `file:PATH` or `env:NAME`; empty: no key. Throws `bad_configuration`. */
export async function readRemoteKey(reference: string, environment: Variables): Promise<string | undefined> {
  if (reference === '') return undefined;
  const [source = '', name = ''] = splitOnce(reference);
  const text = source === 'env' ? environment[name] : await readKeyText(name);
  const key = text?.trim() ?? '';
  if (key === '') throw badConfiguration(`${reference} has no key`);
  // The key becomes a header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw badConfiguration(`${reference} is not a key: it contains spaces or other characters`);
  return key;
}

function splitOnce(reference: string): [string, string] {
  const colon = reference.indexOf(':');
  return [reference.slice(0, colon), reference.slice(colon + 1)];
}

async function readKeyText(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || !info.isFile()) throw badConfiguration(`the key file ${path} does not exist`);
  if (info.size > maxBytes) throw badConfiguration(`the key file ${path} is larger than ${maxBytes} bytes`);
  // Windows has no such bits.
  if (process.platform !== 'win32' && (info.mode & readableByOthers) !== 0)
    throw badConfiguration(`other users can read the key file ${path}: run \`chmod 600 ${path}\``);
  return readFile(path, 'utf8').catch(() => {
    throw badConfiguration(`the key file ${path} cannot be read`);
  });
}
