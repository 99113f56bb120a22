// A text that a user copies to connect a program with this server.

import type { Label } from '../language/catalogue.ts';

export interface ConnectTarget {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  readonly model: string;
  /** Length in tokens; absent if it is not known. */
  readonly context?: number;
  readonly hasTools: boolean;
  readonly hasVision: boolean;
  /** Whether requests need a key. */
  readonly needsKey: boolean;
}

export interface Snippet {
  readonly title: string;
  /** The language of the code. Its name is shown. */
  readonly language: 'bash' | 'python' | 'typescript' | 'json' | 'yaml' | 'toml';
  /** What the user has to know, such as where the text belongs. */
  readonly note?: Label;
  /** The command that installs what the code needs. */
  readonly install?: string;
  readonly code: (target: ConnectTarget) => string;
}

/** The key of the user is never shown. Programs read it from this variable. */
export const keyVariable = 'HEARTH_API_KEY';

/** Programs that want a key get this one if the server needs none. */
export const anyKey = 'hearth';

/** A string literal of JSON, JavaScript and Python. */
export function toLiteral(text: string): string {
  return JSON.stringify(text);
}

export function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

export const question = 'Why is the sky blue?';
