import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createTransport } from './transport.ts';

test('only connecting has a timeout: a response may take longer, on a new and on a reused connection', async () => {
  // Long enough to connect on a busy machine.
  const connectTimeout = 500;
  const server = createServer((_, response) => void setTimeout(() => response.end('late'), 2 * connectTimeout));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = createTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connectTimeout });
  try {
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await transport.send({ method: 'GET', path: '/' });
      body.resume();
      expect(status).toBe(200);
    }
  } finally {
    transport.close();
    server.close();
  }
});
