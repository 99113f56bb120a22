// The folder of Hearth's own files of this user: config, key, history, and the log of a background server.

import { homedir } from 'node:os';
import { join } from 'node:path';

export function stateFolder(): string {
  return join(homedir(), '.hearth');
}
