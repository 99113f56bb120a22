// The key that commands send to a server. There is no flag for it: other users of a machine can see command lines.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { HearthError, messageOf, systemCodeOf } from '../errors.ts';
import { serverNameOf } from '../net/socket-path.ts';
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
  const file = given.file ?? credentialsFile();
  const section = readCredentials(file, onWarning)[serverNameOf(url)] as { readonly key?: unknown } | undefined;
  return typeof section?.key === 'string' ? checkKey(section.key, file) : undefined;
}

/** Where commands find keys. */
export function credentialsFile(): string {
  return join(stateFolder(), 'credentials');
}

/**
 * The text of a credentials file with the key of this server in it. Comments and other keys stay as they are. Throws if the
 * file has a key of the server in another form than `readApiKey` describes.
 */
export function withApiKey(text: string, url: string, key: string): string {
  const name = serverNameOf(url);
  const header = `[${JSON.stringify(name)}]`;
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex((line) => line.trim() === header);
  const entry = `key = "${checkKey(key, 'the new key')}"`;
  const changed = start === -1 ? [...lines, header, entry] : replaceEntry(lines, start + 1, entry);
  const result = `${changed.join('\n')}\n`;
  if ((parseCredentials(result)?.[name] as { readonly key?: unknown } | undefined)?.key === key) return result;
  throw new HearthError('bad_configuration', `it has something else than a table ${header} with one key`);
}

/** The text of a credentials file without the key of this server. Comments and other keys stay as they are. */
export function withoutApiKey(text: string, url: string): string {
  const header = `[${JSON.stringify(serverNameOf(url))}]`;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === header);
  if (start === -1) return text;
  const next = lines.findIndex((line, index) => index > start && line.trimStart().startsWith('['));
  const end = next === -1 ? lines.length : next;
  const kept = lines.slice(start + 1, end).filter((line) => !/^\s*key\s*=/.test(line));
  return [...lines.slice(0, start), ...kept, ...lines.slice(end)].join('\n');
}

function replaceEntry(lines: readonly string[], start: number, entry: string): string[] {
  const next = lines.findIndex((line, index) => index >= start && line.trimStart().startsWith('['));
  const end = next === -1 ? lines.length : next;
  const kept = lines.slice(start, end).filter((line) => !/^\s*key\s*=/.test(line));
  return [...lines.slice(0, start), entry, ...kept, ...lines.slice(end)];
}

function parseCredentials(text: string): Record<string, unknown> | undefined {
  try {
    return parseToml(text);
  } catch {
    return undefined;
  }
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
