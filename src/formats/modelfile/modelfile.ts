// What a Modelfile says, as plain data, and the words that parser and printer share.

import { HearthError } from '../../base/errors.ts';

/** Instructions that consist of one text. In the order in which messages list them. */
export const textKinds = [
  'from',
  'license',
  'template',
  'system',
  'adapter',
  'draft',
  'renderer',
  'parser',
  'requires',
] as const;
export type TextKind = (typeof textKinds)[number];

export const messageRoles = ['system', 'user', 'assistant'] as const;
export type MessageRole = (typeof messageRoles)[number];

/** `draft`, `renderer`, `parser` and `requires` are read and kept: whether they can be obeyed is for `create` to say. */
export type ModelfileCommand =
  | { readonly kind: TextKind; readonly value: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'message'; readonly role: MessageRole; readonly content: string };

export interface Modelfile {
  readonly commands: readonly ModelfileCommand[];
  /** The line on which each command begins, from 1. What was not read from a text has none. */
  readonly lines?: readonly number[];
}

/** Real ones stay far below; the bounds are there so that a forged one cannot fill the memory. */
export const limits = {
  /** Bytes of a Modelfile. Templates and licences reach some 100 KB; a million tokens of conversation fit. */
  bytes: 4 * 2 ** 20,
  /** Instructions, of which a saved conversation has one for each message. */
  commands: 65_536,
  /** Characters of a number or a version. */
  scalar: 256,
  /** Characters that an error quotes from the file. */
  quoted: 200,
} as const;

/** Names the line where there is one to blame. */
export function modelfileError(message: string, line?: number): HearthError {
  return new HearthError('bad_request', line === undefined ? message : `(line ${line}): ${message}`);
}

/** A part of the file for a message, which must stay readable whatever the file holds. */
export function excerpt(text: string): string {
  return text.length <= limits.quoted ? text : `${text.slice(0, limits.quoted)}…`;
}

export const noFrom = 'no FROM line';
export const badRequires = 'requires must be a valid semver (e.g. 0.14.0)';

const number = '(?:0|[1-9]\\d*)';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const version = new RegExp(`^v?${number}(?:\\.${number}(?:\\.${number}(?:-${identifiers})?(?:\\+${identifiers})?)?)?$`);

/** A semantic version, whole or only its first numbers. */
export function isVersion(text: string): boolean {
  return text.length <= limits.scalar && version.test(text);
}
