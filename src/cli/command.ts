// What a command of `hearth` is: plain data that the parser, the help and the shell completion are made from, and the
// function that carries it out.

import type { Clock } from '../base/time/clock.ts';
import type { HearthClient } from '../client/client.ts';
import type { Terminal } from './terminal.ts';

export interface CliContext {
  readonly terminal: Terminal;
  /** Made when it is first asked for: not every command needs a server. Throws where HEARTH_HOST is no address. */
  readonly client: () => HearthClient;
  readonly clock: Clock;
  /** Ctrl-C, for commands that do not own their signals. */
  readonly signal: AbortSignal;
  /** Of this program. */
  readonly version: string;
}

/** What the shell offers for a word. */
export type Completion = 'model' | 'file' | 'nothing' | readonly string[];

export interface ArgumentSpec {
  readonly name: string;
  readonly required: boolean;
  /** Takes all words that are left. */
  readonly variadic?: true;
  readonly completes: Completion;
}

export interface OptionSpec {
  /** As commander reads them: `-f, --file <path>`. */
  readonly flags: string;
  readonly help: string;
  /** Understood, but not shown: what people type from habit. */
  readonly hidden?: true;
  /** `--think [level]` takes a level only as `--think=high`: what follows it is another word. Its long name stands first. */
  readonly valueAfterEquals?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completion;
}

export interface CommandInput {
  /** A variadic argument's words stand one by one at the end. */
  readonly words: readonly string[];
  /** By their long names in camelCase, as commander has them. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface CommandSpec {
  readonly name: string;
  readonly alias?: string;
  /** An older name: accepted, not shown in help or completion. */
  readonly hiddenAlias?: string;
  readonly summary: string;
  /** A paragraph more, for its own help. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Lines to type, shown in its help. At least one, but for a command that only groups others. */
  readonly examples: readonly string[];
  readonly hidden?: true;
  /** It listens to Ctrl-C itself. */
  readonly ownsSignals?: true;
  readonly commands?: readonly CommandSpec[];
  /** Resolves with the exit code; nothing is 0. */
  execute?(context: CliContext, input: CommandInput): Promise<number | undefined>;
}

export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;
