// Requests GET /api/version all the time, each on a new connection, and posts the delays in milliseconds.

import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const gap = 20;

const delay = () =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    request(`${workerData}/api/version`, { agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now() - begun));
    })
      .on('error', reject)
      .end();
  });

for (;;) {
  parentPort.postMessage(await delay());
  await new Promise((resolve) => setTimeout(resolve, gap));
}
