// Refuses Modelfile commands that are not implemented.

import { HearthError } from '../../base/errors.ts';
import { unsupportedKinds } from './instruction-table.ts';
import type { Modelfile } from './modelfile.ts';

/** Throws `bad_request`: ignoring these commands would change the model silently. */
export function checkSupported({ commands, lines }: Modelfile): void {
  const index = commands.findIndex(({ kind }) => unsupportedKinds.has(kind));
  const command = commands[index];
  if (command === undefined) return;
  const prefix = lines?.[index] === undefined ? '' : `(line ${lines[index]}): `;
  throw unsupported(command.kind, prefix);
}

/** The same for the fields of a request that has no Modelfile. */
export function checkSupportedFields(fields: Readonly<Record<string, unknown>>): void {
  const kind = Object.keys(fields).find((name) => unsupportedKinds.has(name));
  if (kind !== undefined) throw unsupported(kind);
}

function unsupported(kind: string, prefix = ''): HearthError {
  return new HearthError('bad_request', `${prefix}${kind.toUpperCase()} is not supported`);
}
