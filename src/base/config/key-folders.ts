// Where the key of this installation is looked for: beside our own settings, and where the other server keeps its own.

import { homedir } from 'node:os';
import { join } from 'node:path';

export function keyFolders(): { readonly folder: string; readonly fallbackFolder: string } {
  return { folder: join(homedir(), '.hearth'), fallbackFolder: join(homedir(), '.ollama') };
}
