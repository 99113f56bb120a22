// The definition of a command: data for the parser, the help text and shell completion, and the function that executes
// it.

import type { Clock } from '../base/time/clock.ts';
import type { HearthClient } from '../client/client.ts';
import type { SettingKey, Settings } from '../settings/setting-table.ts';
import type { Terminal } from './terminal.ts';

export interface CliContext {
  readonly terminal: Terminal;
  /** Created on first use, since not every command needs a server. Throws if HEARTH_HOST is invalid. */
  readonly client: () => HearthClient;
  /** The same client when a server is running. On this machine, starts one if there is none. */
  readonly connect: () => Promise<HearthClient>;
  readonly clock: Clock;
  /** Aborted on Ctrl-C, except for commands with `ownsSignals`. */
  readonly signal: AbortSignal;
  /** This program's version. */
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  /** Reads one setting; the value of a flag wins. Variables that are ignored are reported as warnings. */
  readonly loadSetting: <Key extends SettingKey>(key: Key, flag?: string) => Settings[Key];
  /** The command line of this program, for other processes. */
  readonly hearth: readonly [program: string, ...words: string[]];
  /** All commands. */
  readonly commands: readonly CommandSpec[];
  /** Called when this process has become a server. */
  readonly onServing: () => void;
}

/** What the shell offers for a word. */
export type CompletionSource = 'model' | 'file' | 'nothing' | readonly string[];

export interface ArgumentSpec {
  readonly name: string;
  readonly required: boolean;
  /** Takes all remaining words. */
  readonly variadic?: true;
  readonly completes: CompletionSource;
}

export interface OptionSpec {
  /** In commander's syntax: `-f, --file <path>`. */
  readonly flags: string;
  readonly help: string;
  /** Accepted, but not shown in help. */
  readonly hidden?: true;
  /** The value is accepted only as `--think=high`, not as the next word. `flags` must start with the long name. */
  readonly valueAfterEquals?: true;
  readonly choices?: readonly string[];
  /** Heading in the help of the command. */
  readonly group?: string;
  readonly completes?: CompletionSource;
}

export interface CommandInput {
  /** The words of a variadic argument are the last ones. */
  readonly words: readonly string[];
  /** By long name in camelCase, as in commander. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface CommandSpec {
  readonly name: string;
  readonly alias?: string;
  /** An older name: accepted, not shown in help or completion. */
  readonly hiddenAlias?: string;
  readonly summary: string;
  /** Additional text in the command's own help. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Shown in the command's help. Every visible command has at least one. */
  readonly examples: readonly string[];
  readonly hidden?: true;
  /** The command handles signals itself. */
  readonly ownsSignals?: true;
  readonly commands?: readonly CommandSpec[];
  /** Resolves with the exit code; without one, it is 0. */
  execute?(context: CliContext, input: CommandInput): Promise<number | undefined> | Promise<void>;
}

export const exitCodes = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;
