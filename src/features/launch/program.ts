// A program that `hearth launch` can start: what the table of programs says about it.

export interface LaunchTarget {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  readonly model: string;
  readonly capabilities: readonly string[];
  /** Tokens in the context of the loaded model. Absent if the server does not report it. */
  readonly context?: number | undefined;
  /** The key of the user, if the server needs one. It must not be in arguments or in files, which others may see. */
  readonly key?: string | undefined;
}

/** How the program learns about the server, for one run. */
export interface RunConfig {
  /** Variables that are added to those of the user, or replace them. */
  readonly environment: Readonly<Record<string, string>>;
  /** They precede the arguments of the user. */
  readonly args?: readonly string[];
}

export type ConfigValue = string | number | boolean | undefined | ConfigValues | readonly ConfigValue[];
/** A value that is undefined is left out. */
export interface ConfigValues {
  readonly [key: string]: ConfigValue;
}

export type ConfigFormat = 'json' | 'toml' | 'yaml';

export interface ConfigFolder {
  /** The variable that names the folder. */
  readonly variable?: string;
  /** The folder without it, in the home folder. */
  readonly folder: string;
}

/** The file in which a program keeps its configuration, for every run. */
export interface SavedConfig {
  readonly folder: ConfigFolder;
  /** Operating systems where it is elsewhere. */
  readonly elsewhere?: Readonly<Partial<Record<NodeJS.Platform, ConfigFolder>>>;
  readonly name: string;
  readonly format: ConfigFormat;
  /** Merged into the existing file. Entries of a list replace those with the same id or name. */
  values(target: LaunchTarget): ConfigValues | readonly ConfigValues[];
  /** Added where the file has no value. */
  readonly defaults?: ConfigValues;
  /** The command that uses the file. */
  usage(target: LaunchTarget): string;
}

export interface Program {
  /** The word after `hearth launch`. */
  readonly name: string;
  /** Other words for it. */
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly command: string;
  /** Where its installer puts the command if it is not in PATH: folders in the home folder, or absolute ones. */
  readonly folders?: readonly string[];
  /** The command that installs it, or the page that describes it. */
  readonly install: string;
  /** The number of tokens. The program works badly, or not at all, with a shorter context. */
  readonly minContext: number;
  readonly needsTools: boolean;
  /** The program has no way to get a key that others cannot read. */
  readonly sendsNoKey?: true;
  /** Used if the user gives no arguments. */
  readonly defaultArgs?: readonly string[];
  configure(target: LaunchTarget): RunConfig;
  /** Absent if the program has no file that can be changed without losing comments of the user. */
  readonly saved?: SavedConfig;
  /** The program reads a part of its configuration only from its file: each launch writes it. */
  readonly needsFile?: boolean;
}

/** Without what most programs have in common. */
export type ProgramRow = Omit<Program, Usual> & Partial<Pick<Program, Usual>>;
type Usual = 'command' | 'minContext' | 'needsTools';
