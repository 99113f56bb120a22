// Ctrl-Z at the prompt: suspends the process until the shell continues it.

import { type Clock, keepProcessAlive } from '../../../base/time/clock.ts';
import type { Keyboard } from './keyboard.ts';

// A stopped process gets no time, so the timer fires when it continues. Without job control nothing stops
// the process, and the prompt returns.
const resumeDelayMs = 100;

export async function suspendProcess(keyboard: Keyboard, clock: Clock): Promise<void> {
  // Windows has no job control.
  if (process.platform === 'win32') return;
  keyboard.close();
  // A closed keyboard does not keep the process alive, and would end it right after it continues.
  const release = keepProcessAlive();
  // The whole group, as the terminal would do: a wrapper such as npx is part of the job too.
  process.kill(0, 'SIGTSTP');
  await new Promise<void>((resume) => clock.after(resumeDelayMs, resume));
  release();
  keyboard.open();
}
