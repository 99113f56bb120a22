// Reads settings from their sources. A flag wins over the environment (HEARTH_* over OLLAMA_*), the environment over
// the config file, the file over the default. An invalid value stops the start with an error that names its source. An
// invalid OLLAMA_* value is only reported: it may be meant for a newer Ollama, which falls back to its default, too.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml, TomlError } from 'smol-toml';
import type { Environment } from '../base/config/environment.ts';
import type { SettingKind } from '../base/config/kinds.ts';
import { badConfiguration, messageOf } from '../base/errors.ts';
import { describeSystemError } from '../base/process/system-error.ts';
import { nearestWord } from '../base/text/nearest-word.ts';
import {
  aliasesOf,
  environmentName,
  environmentNames,
  fileName,
  flagName,
  type SettingKey,
  type Settings,
  settingKeys,
  settingTable,
} from './setting-table.ts';

export interface SettingSources {
  readonly environment: Environment;
  /** Values of flags, as typed. */
  readonly flags: { readonly [Key in SettingKey]?: string };
  /** Must exist. Absent: ~/.hearth/config.toml, if it exists. */
  readonly configFile?: string;
  /** Receives a sentence about each variable that is ignored. */
  readonly onWarning?: (message: string) => void;
}

interface Given {
  readonly text: string;
  /** The source as the user knows it: HEARTH_HOST, `host` in …/config.toml, --host. */
  readonly source: string;
}

export function loadSettings(sources: SettingSources): Settings {
  const read = createReader(sources);
  warnAboutVariables(sources);
  return Object.fromEntries(settingKeys.map((key) => [key, read(key)])) as Settings;
}

/** Reads one setting only, so that a client command does not fail because of an invalid server setting. */
export function loadSetting<Key extends SettingKey>(key: Key, sources: SettingSources): Settings[Key] {
  return createReader(sources)(key) as Settings[Key];
}

/** What can be read, and sentences about the rest, which has its defaults. For a diagnosis. */
export function loadUsableSettings(sources: SettingSources): {
  readonly settings: Settings;
  readonly problems: readonly string[];
} {
  const problems = new Set<string>();
  const attempt = <T>(work: () => T, fallback: () => T): T => {
    try {
      return work();
    } catch (error) {
      problems.add(messageOf(error));
      return fallback();
    }
  };
  const file = attempt<FileReader>(
    () => openConfigFile(sources),
    () => () => undefined,
  );
  const read = createReader(sources, file);
  const value = (key: SettingKey): unknown =>
    attempt(
      () => read(key),
      () => parseDefault(key),
    );
  const settings = Object.fromEntries(settingKeys.map((key) => [key, value(key)])) as Settings;
  return { settings, problems: [...problems] };
}

type FileReader = (key: SettingKey) => Given | undefined;

function openConfigFile({ environment, configFile }: SettingSources): FileReader {
  return readConfigFile(configFile ?? cleanValue(environment['HEARTH_CONFIG']));
}

function createReader(sources: SettingSources, file = openConfigFile(sources)): (key: SettingKey) => unknown {
  const { flags } = sources;
  return (key) => {
    const given = givenFlag(flags, key) ?? givenInEnvironment(sources, key) ?? file(key);
    return given ? parseGiven(settingTable[key].kind, given) : parseDefault(key);
  };
}

function givenFlag(flags: SettingSources['flags'], key: SettingKey): Given | undefined {
  const text = flags[key];
  return text === undefined ? undefined : { text, source: `--${flagName(key)}` };
}

function givenInEnvironment({ environment, onWarning }: SettingSources, key: SettingKey): Given | undefined {
  const { kind } = settingTable[key];
  for (const source of variablesOf(key)) {
    const text = cleanValue(environment[source]);
    if (text === undefined) continue;
    if (source.startsWith('HEARTH_') || kind.parse(text) !== undefined) return { text, source };
    // A variable that all programs share may have a value that is not meant for this one.
    if (source.startsWith('OLLAMA_'))
      onWarning?.(`${source} is ${JSON.stringify(text)} and is ignored: it must be ${kind.expects}.`);
  }
  return undefined;
}

/** A variable whose name is almost the one of a setting has no effect, and nobody would notice. */
function warnAboutVariables({ environment, onWarning }: SettingSources): void {
  const names = settingKeys.map(environmentName);
  const known = new Set([...settingKeys.flatMap(variablesOf), 'HEARTH_CONFIG', 'HEARTH_API_KEY']);
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('HEARTH_') || known.has(variable)) continue;
    // The common beginning would make short names alike.
    const nearest = nearestWord(
      variable.slice('HEARTH_'.length),
      names.map((name) => name.slice('HEARTH_'.length)),
    );
    if (nearest !== undefined)
      onWarning?.(`${variable} is not a setting and is ignored. Did you mean HEARTH_${nearest}?`);
  }
}

/** In order of precedence. */
function variablesOf(key: SettingKey): string[] {
  const [documented = '', ...others] = environmentNames(key);
  return [documented, ...aliasesOf(key).map(({ file }) => `HEARTH_${file.toUpperCase()}`), ...others];
}

// Service files and shells leave quotes and spaces around values. An empty variable counts as absent.
function cleanValue(text: string | undefined): string | undefined {
  const trimmed = text?.trim().replace(/^(["'])(.*)\1$/, '$2');
  return trimmed === '' ? undefined : trimmed;
}

function readConfigFile(named: string | undefined): FileReader {
  const path = named ?? join(homedir(), '.hearth', 'config.toml');
  if (named === undefined && !existsSync(path)) return () => undefined;
  const table = parseConfigFile(path);
  const known = new Set<string>(settingKeys.flatMap(namesInFile));
  const unknown = Object.keys(table).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const nearest = nearestWord(unknown.toLowerCase().replaceAll('-', '_'), [...known]);
    const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
    throw badConfiguration(`${path}: unknown setting "${unknown}"${hint}`);
  }
  return (key) => {
    const name = namesInFile(key).find((candidate) => Object.hasOwn(table, candidate));
    return name === undefined ? undefined : { text: tomlText(table[name]), source: `${name} in ${path}` };
  };
}

function namesInFile(key: SettingKey): string[] {
  return [fileName(key), ...aliasesOf(key).map(({ file }) => file)];
}

function parseConfigFile(path: string): Record<string, unknown> {
  try {
    return parseToml(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof TomlError ? `line ${error.line}: ${firstLine(error)}` : describeSystemError(error);
    throw badConfiguration(`${path}: ${reason}`);
  }
}

function firstLine(error: Error): string {
  return error.message.split('\n', 1)[0] ?? '';
}

function tomlText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  // A time is an object, too.
  if (Object.prototype.toString.call(value) !== '[object Object]') return String(value);
  return Object.entries(value as object)
    .map(([name, entry]) => `${name}=${tomlText(entry)}`)
    .join(';');
}

function parseGiven(kind: SettingKind<unknown>, { text, source }: Given): unknown {
  const value = kind.parse(text);
  const problem = kind.secret ? 'is invalid; it' : `is ${JSON.stringify(text)}, but`;
  if (value === undefined) throw badConfiguration(`${source} ${problem} must be ${kind.expects}.`);
  return value;
}

function parseDefault(key: SettingKey): unknown {
  const { kind, default: text } = settingTable[key];
  return kind.parse(text);
}
