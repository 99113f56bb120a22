// Ctrl-Z at the prompt: suspends the process until the shell continues it.

import { once } from 'node:events';
import type { Keyboard } from './keyboard.ts';

export async function suspendProcess(keyboard: Keyboard): Promise<void> {
  // Windows has no job control.
  if (process.platform === 'win32') return;
  keyboard.close();
  const continued = once(process, 'SIGCONT');
  process.kill(process.pid, 'SIGTSTP');
  await continued;
  keyboard.open();
}
