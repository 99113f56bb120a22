// Clients that abuse a WebSocket: pings without reading the answers, messages without waiting for them.

import { once } from 'node:events';
import { expect } from 'vitest';
import type { TestServer } from '../../support/server.ts';
import { openWebSocket } from '../../support/web-socket.ts';
import type { Attack } from '../harness.ts';

/** The answers to pings must not fill the memory of the server. */
async function pingWithoutReading({ url }: TestServer): Promise<void> {
  const { socket } = await openWebSocket(url);
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  socket.pause();
  const payload = Buffer.alloc(125);
  const timer = setInterval(() => {
    for (let index = 0; index < 2000 && socket.bufferedAmount < 2 ** 22; index++) socket.ping(payload);
  }, 1);
  // A paused socket does not notice that it was closed, but writing fails.
  const gone = new Promise<void>((resolve) => {
    const check = setInterval(() => {
      if (socket.readyState === socket.OPEN) return;
      clearInterval(check);
      resolve();
    }, 50);
  });
  await Promise.race([closed, gone]);
  clearInterval(timer);
  socket.terminate();
}

async function sendEndlessly({ url }: TestServer): Promise<void> {
  const { send, closed } = await openWebSocket(url);
  for (let index = 0; index < 10_000; index++) send({ type: 'response.create', model: 'endless', input: 'Hi' });
  expect(await closed).toBe(1008);
}

export const webSocketAttacks: readonly Attack[] = [
  { name: 'pings whose answers are not read', run: pingWithoutReading },
  { name: '10,000 messages over a WebSocket', run: sendEndlessly },
];
