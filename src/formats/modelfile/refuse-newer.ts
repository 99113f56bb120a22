// Commands of newer Modelfiles that cannot be carried out here.

import { HearthError } from '../../base/errors.ts';
import type { Modelfile } from './modelfile.ts';

const newer: ReadonlySet<string> = new Set(['draft', 'renderer', 'parser']);

/** What is left out in silence is missed later. */
export function refuseNewer({ commands, lines }: Modelfile): void {
  const index = commands.findIndex(({ kind }) => newer.has(kind));
  const command = commands[index];
  if (command === undefined) return;
  const place = lines?.[index] === undefined ? '' : `(line ${lines[index]}): `;
  throw new HearthError('bad_request', `${place}${command.kind.toUpperCase()} is not supported`);
}
