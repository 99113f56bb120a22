// A Modelfile as plain data, with the limits and messages that the parser and the printer share.

import { HearthError } from '../../base/errors.ts';
import { engineNames } from '../../models/engine-parameters.ts';

/** Instructions with one text as the argument, in the order in which error messages list them. */
export const textKinds = [
  'from',
  'license',
  'template',
  'system',
  'adapter',
  'draft',
  'renderer',
  'parser',
  'engine',
  'requires',
] as const;
export type TextKind = (typeof textKinds)[number];

export const messageRoles = ['system', 'user', 'assistant'] as const;
export type MessageRole = (typeof messageRoles)[number];

export type ModelfileCommand =
  | { readonly kind: TextKind; readonly value: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'message'; readonly role: MessageRole; readonly content: string };

export interface Modelfile {
  readonly commands: readonly ModelfileCommand[];
  /** The line of each command, from 1. Absent if the Modelfile was not parsed from text. */
  readonly lines?: readonly number[];
}

/** Real Modelfiles stay far below. The limits bound the memory that a hostile one can take. */
export const modelfileLimits = {
  /** Bytes of a Modelfile. Templates and licenses reach about 100 KB; a million tokens of conversation fit. */
  bytes: 4 * 2 ** 20,
  /** Instructions. A saved conversation has one per message. */
  commands: 65_536,
  /** Characters of a number or a version. */
  scalar: 256,
  /** Characters that an error quotes from the file. */
  quoted: 200,
} as const;

/** Names the line if it is known. */
export function modelfileError(message: string, line?: number): HearthError {
  return new HearthError('bad_request', line === undefined ? message : `(line ${line}): ${message}`);
}

/** Text from the file, truncated for error messages. */
export function excerpt(text: string): string {
  return text.length <= modelfileLimits.quoted ? text : `${text.slice(0, modelfileLimits.quoted)}…`;
}

export const noFrom = 'no FROM line';
export const badEngine = `engine must be one of ${engineNames.join(', ')}`;
export const badRequires = 'requires must be a valid semver (e.g. 0.14.0)';

const number = '(?:0|[1-9]\\d*)';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const version = new RegExp(`^v?${number}(?:\\.${number}(?:\\.${number}(?:-${identifiers})?(?:\\+${identifiers})?)?)?$`);

/** A semantic version, or only its first numbers. */
export function isVersion(text: string): boolean {
  return text.length <= modelfileLimits.scalar && version.test(text);
}
