// Clients that do not read, and values that once broke other routes.

import { once } from 'node:events';
import { expect, vi } from 'vitest';
import { post } from '../../support/client.ts';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';
import { openConnection, readToEnd, requestHead } from '../raw-connection.ts';

/** The model must be free for a request with another context length although nobody reads the first answer. */
async function doNotRead({ url }: TestServer): Promise<void> {
  const body = JSON.stringify({ model: 'ember', prompt: 'Hi', options: { num_predict: 50 } });
  const socket = await openConnection(url);
  socket.write(requestHead('/api/generate', body.length) + body);
  await once(socket, 'readable');
  const { status } = await post(url, '/api/generate', {
    model: 'ember',
    prompt: 'Hi',
    stream: false,
    options: { num_predict: 1, num_ctx: 512 },
  });
  socket.destroy();
  expect(status).toBe(200);
}

/** Requests whose responses are never read: together many megabytes. */
async function pipelineWithoutReading({ url, log }: TestServer): Promise<void> {
  const closed = (): number => log().split('the client does not read its response').length - 1;
  const closedBefore = closed();
  const socket = await openConnection(url);
  socket.pause();
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(100));
  await vi.waitFor(() => expect(closed()).toBeGreaterThan(closedBefore), { timeout: 30_000 });
  socket.destroy();
}

/** More requests than a connection may have without a response. */
async function pipelineEndlessly({ url, log }: TestServer): Promise<void> {
  const socket = await openConnection(url);
  const body = JSON.stringify({ model: 'endless', prompt: 'Hi' });
  socket.write((requestHead('/api/generate', body.length) + body).repeat(10_000));
  await readToEnd(socket);
  await vi.waitFor(() => expect(log()).toContain('more than 100 requests without a response'), { timeout: 30_000 });
}

async function keepAliveForLong({ url }: TestServer): Promise<void> {
  const request = { model: 'ember', prompt: 'Hi', stream: false, keep_alive: 1e300, options: { num_predict: 1 } };
  expect((await post(url, '/api/generate', request)).status).toBe(200);
  expect((await fetch(`${url}/api/ps`)).status).toBe(200);
}

export const connectionAttacks: readonly Attack[] = [
  { name: 'a reader that does not read', run: doNotRead },
  { name: '100 pipelined requests, unread', run: pipelineWithoutReading },
  { name: '10,000 pipelined requests', run: pipelineEndlessly },
  { name: 'keep_alive of 1e300 seconds', run: keepAliveForLong },
];
