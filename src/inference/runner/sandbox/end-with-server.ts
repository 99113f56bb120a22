// Ends this process when its server does, even while the main thread is in native code: another thread waits for the end
// of the pipe from the server (file descriptor 3).

import { Worker } from 'node:worker_threads';

const program = `
  const { Socket } = require('node:net');
  const end = () => process.kill(process.pid, 'SIGKILL');
  new Socket({ fd: 3, readable: true, writable: false }).on('close', end).on('error', end).resume();
`;

export function endWithServer(): void {
  new Worker(program, { eval: true }).unref();
}
