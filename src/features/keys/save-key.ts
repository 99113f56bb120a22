// The credentials file of the user: `hearth keys create --save` and `hearth login` write keys to it, `hearth logout` removes one.

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { credentialsFile, withApiKey, withoutApiKey } from '../../base/config/api-key.ts';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';

/** Reads the file first, so that no key is created if it cannot be written. The result resolves with the path. */
export async function openCredentials(
  file = credentialsFile(),
): Promise<(url: string, key: string) => Promise<string>> {
  const text = await readText(file);
  return async (url, key) => {
    try {
      const changed = withApiKey(text, url, key);
      await makeFolder(dirname(file), { mode: 0o700 });
      await replaceFile(file, changed);
      return file;
    } catch (error) {
      throw toError(file, error);
    }
  };
}

/** Resolves with the path. */
export async function removeCredentials(url: string, file = credentialsFile()): Promise<string> {
  const text = await readText(file);
  try {
    const changed = withoutApiKey(text, url);
    if (changed !== text) await replaceFile(file, changed);
    return file;
  } catch (error) {
    throw toError(file, error);
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw toError(file, error);
  });
}

function toError(file: string, error: unknown): HearthError {
  return new HearthError('bad_configuration', `the key cannot be saved in ${file}: ${messageOf(error)}`, {
    cause: error,
  });
}
