// A port that nothing listens on, and that nothing else takes before the caller listens on it: outside of the range from
// which systems take the ports of connections, and in a part of its own for each worker of the tests.

import { createServer } from 'node:net';

const first = 12_000;
const portsPerWorker = 1000;
const workers = 16;

const worker = Number(process.env['VITEST_POOL_ID'] ?? process.pid) % workers;
let next = Math.floor(Math.random() * portsPerWorker);

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < portsPerWorker; attempt++) {
    const port = first + worker * portsPerWorker + (next++ % portsPerWorker);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
