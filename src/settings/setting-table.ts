// The table of settings: those of server and engine, and the rows of each feature. Environment variables, the config file and
// the flags of `serve` derive their names from the keys: keepAlive is HEARTH_KEEP_ALIVE, `keep_alive` and --keep-alive.

import type { Setting } from '../base/config/setting.ts';
import { batchesSettings } from '../features/batches/batches-settings.ts';
import { builtinToolsSettings } from '../features/builtin-tools/builtin-tools-settings.ts';
import { cachesSettings } from '../features/caches/caches-settings.ts';
import { catalogueSettings } from '../features/catalogue/catalogue-settings.ts';
import { chatsSettings } from '../features/chats/chats-settings.ts';
import { documentsSettings } from '../features/documents/documents-settings.ts';
import { keysSettings } from '../features/keys/keys-settings.ts';
import { kvEventsSettings } from '../features/kv-events/kv-events-settings.ts';
import { mcpSettings } from '../features/mcp/mcp-settings.ts';
import { postgresStateSettings } from '../features/postgres-state/postgres-state-settings.ts';
import { remotesSettings } from '../features/remotes/remotes-settings.ts';
import { signInSettings } from '../features/sign-in/sign-in-settings.ts';
import { speechSettings } from '../features/speech/speech-settings.ts';
import { telemetrySettings } from '../features/telemetry/telemetry-settings.ts';
import { usageSettings } from '../features/usage/usage-settings.ts';
import { vllmSettings } from '../features/vllm/vllm-settings.ts';
import { engineSettings } from './engine-settings.ts';
import { serverSettings } from './server-settings.ts';

export const settingTable = {
  ...serverSettings,
  ...engineSettings,
  ...keysSettings,
  ...signInSettings,
  ...remotesSettings,
  ...usageSettings,
  ...chatsSettings,
  ...batchesSettings,
  ...documentsSettings,
  ...cachesSettings,
  ...catalogueSettings,
  ...mcpSettings,
  ...builtinToolsSettings,
  ...vllmSettings,
  ...postgresStateSettings,
  ...speechSettings,
  ...telemetrySettings,
  ...kvEventsSettings,
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof settingTable;
export type Settings = {
  readonly [Key in SettingKey]: (typeof settingTable)[Key] extends Setting<infer T> ? T : never;
};

export const settingKeys = Object.keys(settingTable) as SettingKey[];
/** Settings that `serve` has a flag for. */
export const serverSettingKeys = settingKeys.filter((key) => !rowOf(key).atPrompt);

function rowOf(key: SettingKey): Setting<unknown> {
  return settingTable[key];
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Name in the config file. */
export function fileName(key: SettingKey): string {
  return snakeCase(key);
}

export function environmentName(key: SettingKey): string {
  return `HEARTH_${fileName(key).toUpperCase()}`;
}

function ollamaName(key: SettingKey): string | undefined {
  const { ollama } = rowOf(key);
  if (ollama === false) return undefined;
  return `OLLAMA_${ollama === true ? fileName(key).toUpperCase() : ollama}`;
}

/** The documented variables, in order of precedence. */
export function environmentNames(key: SettingKey): string[] {
  const ollama = ollamaName(key);
  return [environmentName(key), ...(ollama === undefined ? [] : [ollama]), ...(rowOf(key).shared ?? [])];
}

export function flagName(key: SettingKey): string {
  return fileName(key).replaceAll('_', '-');
}

/** Undocumented older names of a setting: in the file, in the environment, and as a flag. */
export function aliasesOf(key: SettingKey): { readonly key: string; readonly file: string; readonly flag: string }[] {
  return (rowOf(key).aliases ?? []).map((alias) => ({
    key: alias,
    file: snakeCase(alias),
    flag: snakeCase(alias).replaceAll('_', '-'),
  }));
}
