// Folders of the installation's key: Hearth's own, and Ollama's as a fallback.

import { homedir } from 'node:os';
import { join } from 'node:path';

export function keyFolders(): { readonly folder: string; readonly fallbackFolder: string } {
  return { folder: join(homedir(), '.hearth'), fallbackFolder: join(homedir(), '.ollama') };
}
