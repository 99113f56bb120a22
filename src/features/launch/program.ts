// A program that `hearth launch` can start: what the table of programs says about it.

export interface LaunchTarget {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  readonly model: string;
  /** Tokens in the context of the loaded model. Absent if the server does not report it. */
  readonly context?: number;
  /** The key of the user, if the server needs one. It must not be in arguments, which other users see. */
  readonly key?: string;
}

/** How the program learns about the server, for one run. */
export interface RunConfig {
  /** Variables that are added to those of the user, or replace them. */
  readonly environment: Readonly<Record<string, string>>;
  /** They precede the arguments of the user. */
  readonly args: readonly string[];
}

type ConfigValue = string | number | ConfigValues;
export interface ConfigValues {
  readonly [key: string]: ConfigValue;
}

/** The same configuration in a file, for every run. */
export interface SavedConfig {
  /** The variable that names the folder of the file, the folder without it, in the home folder, and the file. */
  readonly file: { readonly variable: string; readonly folder: string; readonly name: string };
  readonly format: ConfigFormat;
  /** Merged into the existing file. */
  readonly values: ConfigValues;
  /** The command that uses the file. */
  readonly usage: string;
}
export type ConfigFormat = 'json' | 'toml';

export interface Program {
  /** The word after `hearth launch`. */
  readonly name: string;
  readonly title: string;
  readonly command: string;
  /** Where its installer puts the command if it is not in PATH: folders in the home folder. */
  readonly folders?: readonly string[];
  /** The command that installs it, or the page that describes it. */
  readonly install: string;
  /** The number of tokens. The program works badly, or not at all, with a shorter context. */
  readonly minContext: number;
  readonly needsTools: boolean;
  /** Used if the user gives no arguments. */
  readonly defaultArgs?: readonly string[];
  configure(target: LaunchTarget): RunConfig;
  /** Absent if the program has no file that can be changed without losing comments of the user. */
  save?(target: LaunchTarget): SavedConfig;
}
