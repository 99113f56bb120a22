// The key that commands send to a server. There is no flag for it: other users of a machine can see command lines.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { HearthError, messageOf, systemCodeOf } from '../errors.ts';
import type { Environment } from './environment.ts';
import { stateFolder } from './state-folder.ts';

interface ApiKeySources {
  readonly environment: Environment;
  /** ~/.hearth/credentials unless a test says otherwise. */
  readonly file?: string;
  readonly onWarning?: (message: string) => void;
}

/**
 * HEARTH_API_KEY, or the key of this server in the credentials file:
 *
 *     ["models.example:11434"]
 *     key = "hearth_…"
 */
export function readApiKey(url: string, { environment, onWarning, ...given }: ApiKeySources): string | undefined {
  const variable = environment['HEARTH_API_KEY']?.trim();
  if (variable) return checkKey(variable, 'HEARTH_API_KEY');
  const file = given.file ?? join(stateFolder(), 'credentials');
  const section = readCredentials(file, onWarning)[new URL(url).host] as { readonly key?: unknown } | undefined;
  return typeof section?.key === 'string' ? checkKey(section.key, file) : undefined;
}

function readCredentials(file: string, onWarning?: (message: string) => void): Record<string, unknown> {
  try {
    const text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      onWarning?.(`other users can read ${file}: run \`chmod 600 ${file}\`.`);
    return parseToml(text);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    // The message of the parser quotes the line, which may be a key.
    const reason = code === undefined ? 'it is not valid TOML' : messageOf(error);
    throw new HearthError('bad_configuration', `${file} cannot be read: ${reason}`);
  }
}

// The key becomes a header.
function checkKey(key: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new HearthError('bad_configuration', `${source} is not a key: it contains spaces or other characters`);
}
