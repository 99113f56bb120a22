// Settings from all their sources, in rising order: defaults, OLLAMA_*, HEARTH_*, the file, flags. A value that
// cannot be used stops the start with a sentence that names where it stands.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml, TomlError } from 'smol-toml';
import { HearthError, messageOf } from '../errors.ts';
import type { Kind } from './kinds.ts';
import {
  environmentNames,
  fileName,
  flagName,
  type SettingKey,
  type Settings,
  settingKeys,
  settingTable,
} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The only place where the process's environment is read. */
export const processEnvironment: Environment = process.env;

export interface SettingSources {
  readonly environment: Environment;
  /** Values of flags by setting, as typed. */
  readonly flags: { readonly [Key in SettingKey]?: string };
  /** A file that must exist; without it, the usual place, which need not. */
  readonly configFile?: string;
}

interface Given {
  readonly text: string;
  /** How the user knows it: HEARTH_HOST, `host` in …/config.toml, --host. */
  readonly where: string;
}

export function loadSettings(sources: SettingSources): Settings {
  const read = createReader(sources);
  return Object.fromEntries(settingKeys.map((key) => [key, read(key)])) as Settings;
}

/** One of them alone: who calls a server is not bothered by what only a server needs. */
export function loadSetting<Key extends SettingKey>(key: Key, sources: SettingSources): Settings[Key] {
  return createReader(sources)(key) as Settings[Key];
}

function createReader({ environment, flags, configFile }: SettingSources): (key: SettingKey) => unknown {
  const file = readConfigFile(configFile ?? cleanValue(environment['HEARTH_CONFIG']));
  return (key) => {
    const given = givenFlag(flags, key) ?? file(key) ?? givenInEnvironment(environment, key);
    return given ? parseGiven(settingTable[key].kind, given) : parseDefault(key);
  };
}

function givenFlag(flags: SettingSources['flags'], key: SettingKey): Given | undefined {
  const text = flags[key];
  return text === undefined ? undefined : { text, where: `--${flagName(key)}` };
}

function givenInEnvironment(environment: Environment, key: SettingKey): Given | undefined {
  for (const where of environmentNames(key)) {
    const text = cleanValue(environment[where]);
    // What stands there for all programs need not be meant for this one.
    const isOurs = where.startsWith('HEARTH_') || where.startsWith('OLLAMA_');
    if (text !== undefined && (isOurs || settingTable[key].kind.parse(text) !== undefined)) return { text, where };
  }
  return undefined;
}

// Service files and shells leave quotes and blanks around values; an empty variable counts as absent.
function cleanValue(text: string | undefined): string | undefined {
  const trimmed = text?.trim().replace(/^(["'])(.*)\1$/, '$2');
  return trimmed === '' ? undefined : trimmed;
}

function readConfigFile(named: string | undefined): (key: SettingKey) => Given | undefined {
  const location = named ?? join(homedir(), '.hearth', 'config.toml');
  if (named === undefined && !existsSync(location)) return () => undefined;
  const table = parseConfigFile(location);
  const known = new Set<string>(settingKeys.map(fileName));
  const stranger = Object.keys(table).find((name) => !known.has(name));
  if (stranger !== undefined) throw bad(`${location}: there is no setting "${stranger}"`);
  return (key) => {
    const name = fileName(key);
    if (!Object.hasOwn(table, name)) return undefined;
    return { text: tomlText(table[name]), where: `${name} in ${location}` };
  };
}

function parseConfigFile(location: string): Record<string, unknown> {
  try {
    return parseToml(readFileSync(location, 'utf8'));
  } catch (error) {
    const reason = error instanceof TomlError ? `line ${error.line}: ${firstLine(error)}` : messageOf(error);
    throw bad(`${location}: ${reason}`);
  }
}

function firstLine(error: Error): string {
  return error.message.split('\n', 1)[0] ?? '';
}

function tomlText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function parseGiven(kind: Kind<unknown>, { text, where }: Given): unknown {
  const value = kind.parse(text);
  const shown = kind.secret ? 'something else' : JSON.stringify(text);
  if (value === undefined) throw bad(`${where} is ${shown}, but must be ${kind.expects}.`);
  return value;
}

function parseDefault(key: SettingKey): unknown {
  const { kind, default: text } = settingTable[key];
  return kind.parse(text);
}

function bad(message: string): HearthError {
  return new HearthError('bad_configuration', message);
}
