// Keys and authorities of remotes that callers of the API give. The server sends a key to the address of its remote, so a
// caller must not name any file or variable: files are in one folder, which only the owner of the server fills, and
// variables have a prefix. A key that is given by value is written to that folder, under a name of its remote and address.

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { badRequest, messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { parseCertificates } from '../../base/tls/tls-files.ts';

/** What a caller gives for an endpoint besides its address. */
export interface GivenSecrets {
  /** The key itself. */
  readonly key?: string;
  readonly keyFile?: string;
  readonly keyEnv?: string;
  /** Authorities in the PEM format. */
  readonly ca?: string;
  readonly caFile?: string;
}

/** Where the secrets of an endpoint are, and what must be written there. */
interface PlacedSecrets {
  readonly keyRef: string | undefined;
  readonly caFile: string | undefined;
  readonly contents: ReadonlyMap<string, string>;
}

const variablePrefix = 'HEARTH_REMOTE_KEY_';
const writtenName = /^[0-9a-f]{32}\.(?:key|pem)$/;

export function remoteKeysFolder(remotesFile: string): string {
  return join(dirname(remotesFile), 'remote-keys');
}

export class RemoteFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws `bad_request` for secrets that a caller must not name. Writes nothing. */
  place(remote: string, url: string, given: GivenSecrets): PlacedSecrets {
    const { key, keyFile, keyEnv, ca, caFile } = given;
    if ([key, keyFile, keyEnv].filter((each) => each !== undefined).length > 1)
      throw badRequest('a key is given by only one of key, key_file and key_env');
    if (ca !== undefined && caFile !== undefined)
      throw badRequest('authorities are given by only one of ca and ca_file');
    const [keyPath, caPath] = this.#writtenPaths(remote, url);
    const contents = new Map<string, string>();
    if (key !== undefined) contents.set(keyPath, checkKey(key));
    if (ca !== undefined) contents.set(caPath, checkAuthorities(ca));
    const keyIn = keyFile === undefined ? undefined : this.#find(keyFile, 'key_file');
    const file = key === undefined ? keyIn : keyPath;
    return {
      keyRef: file === undefined ? keyEnv && `env:${checkVariable(keyEnv)}` : `file:${file}`,
      caFile: ca === undefined ? caFile && this.#find(caFile, 'ca_file') : caPath,
      contents,
    };
  }

  async write(contents: ReadonlyMap<string, string>): Promise<void> {
    if (contents.size > 0) await makeFolder(this.#folder, { mode: 0o700 });
    for (const [path, text] of contents) await replaceFile(path, text);
  }

  /** Removes what was written for this address, except the paths that are in use. */
  async removeUnused(remote: string, url: string, used: readonly string[]): Promise<void> {
    for (const path of this.#writtenPaths(remote, url)) if (!used.includes(path)) await rm(path, { force: true });
  }

  /** How the API shows a path: files of the folder by their name. */
  nameOf(path: string): string {
    return dirname(path) === this.#folder ? basename(path) : path;
  }

  #writtenPaths(remote: string, url: string): readonly [string, string] {
    const name = createHash('sha256').update(`${remote} ${url}`).digest('hex').slice(0, 32);
    return [join(this.#folder, `${name}.key`), join(this.#folder, `${name}.pem`)];
  }

  #find(name: string, field: string): string {
    const path = resolve(this.#folder, name);
    // A key that was given for one address is not sent to another one.
    const isOwn = writtenName.test(basename(path));
    if (dirname(path) === this.#folder && !isOwn && !name.includes('\0')) return path;
    throw badRequest(
      `${field} must be the name of a file in the folder ${basename(this.#folder)} next to the file of remotes`,
    );
  }
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(key)) return key;
  throw badRequest('key must have 1 to 4096 characters without spaces');
}

function checkAuthorities(text: string): string {
  try {
    parseCertificates(text, 'ca');
    return text;
  } catch (error) {
    throw badRequest(messageOf(error));
  }
}

function checkVariable(name: string): string {
  if (name.startsWith(variablePrefix)) return name;
  throw badRequest(`key_env must name a variable of the server that begins with ${variablePrefix}`);
}
