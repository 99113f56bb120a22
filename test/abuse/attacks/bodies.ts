// Hostile request bodies.

import { expect } from 'vitest';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';
import { openConnection, readToEnd, requestHead } from '../raw-connection.ts';

const mebibyte = 2 ** 20;

const invalidBodies: readonly { readonly name: string; readonly body: () => string }[] = [
  { name: '156 KiB of quotes', body: () => `{${'"'.repeat(156 * 1024)}` },
  { name: 'unclosed string of 30 MiB', body: () => `{"model":"${'x'.repeat(30 * mebibyte)}` },
  { name: 'a million open objects', body: () => '{"model":'.repeat(1_000_000) },
  { name: '20 MiB of escapes', body: () => `{"model":"${'\\"'.repeat(10 * mebibyte)}` },
];

async function isRefused({ url }: TestServer, body: string): Promise<void> {
  const response = await fetch(`${url}/api/generate`, { method: 'POST', body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'bad_request' });
}

async function sendHalfBodies({ url }: TestServer): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = await openConnection(url);
      socket.write(`${requestHead('/api/generate', 10 * mebibyte)}{"prompt":"${'x'.repeat(100_000)}`);
      return readToEnd(socket);
    }),
  );
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 /);
}

async function sendHalfHeaders({ url }: TestServer): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = await openConnection(url);
      socket.write('POST /api/generate HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
      return readToEnd(socket);
    }),
  );
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408 /);
}

/** Together more than the budget, and each is held open before its last byte. */
async function exceedTheBudget({ url }: TestServer): Promise<void> {
  const length = 16 * mebibyte;
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const socket = await openConnection(url);
      const start = '{"images":["';
      socket.write(requestHead('/api/generate', length) + start + 'x'.repeat(length - start.length - 1));
      return (await readToEnd(socket)).slice(9, 12);
    }),
  );
  // None is accepted. A reset can lose the answer.
  for (const status of statuses) expect(['503', '408', '']).toContain(status);
  expect(statuses).toContain('503');
}

export const bodyAttacks: readonly Attack[] = [
  ...invalidBodies.map(({ name, body }) => ({
    name,
    run: (server: TestServer) => isRefused(server, body()),
  })),
  { name: 'half-sent bodies', run: sendHalfBodies },
  { name: 'half-sent headers', run: sendHalfHeaders },
  { name: 'bodies beyond the budget', run: exceedTheBudget },
];
