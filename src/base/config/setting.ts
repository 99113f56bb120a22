// A row of the table of settings.

import type { SettingKind } from './kinds.ts';

export interface Setting<T> {
  readonly kind: SettingKind<T>;
  /** In the syntax that users write. */
  readonly default: string;
  /** Whether OLLAMA_<NAME> is read too. A string is the part after OLLAMA_ where the names differ. */
  readonly ollama: boolean | string;
  /** Variables that many programs share. */
  readonly shared?: readonly string[];
  /** Older keys that are still accepted but not documented. */
  readonly aliases?: readonly string[];
  readonly help: string;
  /** For the interactive prompt; the server does not use it. */
  readonly atPrompt?: true;
}

export function setting<T>(kind: SettingKind<T>, row: Omit<Setting<T>, 'kind'>): Setting<T> {
  return { kind, ...row };
}
