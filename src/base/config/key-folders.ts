// Folders of the installation's key: Hearth's own, and Ollama's as a fallback.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from './state-folder.ts';

export function keyFolders(): { readonly folder: string; readonly fallbackFolder: string } {
  return { folder: stateFolder(), fallbackFolder: join(homedir(), '.ollama') };
}
