// A server whose file handles are used up stays alive, and works again when they are free.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const maxOpenFiles = 160;

let server: TestServer;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await server.stop();
});

async function openConnections(count: number, greeting: (index: number) => string): Promise<void> {
  const { hostname, port } = new URL(server.url);
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(greeting(index));
  }
}

const openHandles = (): number => readdirSync(`/proc/${server.pid}/fd`).length;

const generation = { model: 'ember', prompt: 'Hi', stream: false, options: { num_predict: 1 } };

test.skipIf(process.platform !== 'linux')('silent connections leave handles for everything else', async () => {
  server = await startServer({ maxOpenFiles });
  await openConnections(2 * maxOpenFiles, () => '');
  await expect.poll(() => server.log()).toContain('refused a connection');
  expect(openHandles()).toBeLessThan(maxOpenFiles - 32);
  for (const socket of sockets.splice(0, 8)) socket.destroy();
  await expect.poll(() => fetch(`${server.url}/api/devices`).then(({ status }) => status)).toBe(200);
  expect((await post(server.url, '/api/generate', generation)).status).toBe(200);
});

test.skipIf(process.platform !== 'linux')('a program that cannot be started does not end the server', async () => {
  server = await startServer({ maxOpenFiles });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask(agent, '/api/version')).toBe(200);
  // Each upload has a connection and a file.
  await openConnections(maxOpenFiles / 2, (index) => {
    const path = `/api/blobs/${digestOf(String(index))}`;
    return `POST ${path} HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\ncontent-length: 1000\r\n\r\nx`;
  });
  await expect.poll(openHandles).toBeGreaterThan(maxOpenFiles - 4);
  expect(await ask(agent, '/api/devices')).toBe(200);
  expect(await ask(agent, '/api/generate', generation)).toBe(503);
  expect(await ask(agent, '/api/pull', { model: 'pypi/nothing', stream: false })).toBe(503);
  agent.destroy();
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await post(server.url, '/api/generate', generation)).status).toBe(200);
});

/** The status of the response, over the connection of the agent. */
function ask(agent: Agent, path: string, body?: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    request(new URL(path, server.url), { agent, method }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}
