// Ends this process when its server does, even while the main thread is in native code. On Linux the kernel does it. On
// other systems another thread looks whether the parent is still the same; Windows ends children by itself.

import { Worker } from 'node:worker_threads';
import { hasLostServer } from '../../../base/process/child-program.ts';
import { openLibc, setParentDeathSignal } from './libc.ts';

const program = `
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 500);
`;

export function endWithServer(): void {
  if (process.platform === 'linux') setParentDeathSignal(openLibc());
  else if (process.platform !== 'win32') new Worker(program, { eval: true }).unref();
  // The server ended before anyone looked.
  if (hasLostServer()) process.exit(1);
}
