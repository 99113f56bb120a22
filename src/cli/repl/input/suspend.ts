// Ctrl-Z at the prompt: the shell has the terminal until it calls the process back.

import { once } from 'node:events';
import type { Keyboard } from './keyboard.ts';

export async function suspendProcess(keyboard: Keyboard): Promise<void> {
  // Windows has nothing of the kind.
  if (process.platform === 'win32') return;
  keyboard.close();
  const back = once(process, 'SIGCONT');
  process.kill(process.pid, 'SIGTSTP');
  await back;
  keyboard.open();
}
