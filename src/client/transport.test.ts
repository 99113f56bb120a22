import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createTransport } from './transport.ts';

test('only connecting has a limit: an answer may take as long as it takes, on a new connection and on a kept one', async () => {
  const patience = 500;
  const server = createServer((_, response) => void setTimeout(() => response.end('late'), 2 * patience));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = createTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { patience });
  try {
    for (let turn = 0; turn < 2; turn++) {
      const { status, body } = await transport.send({ method: 'GET', path: '/' });
      body.resume();
      expect(status).toBe(200);
    }
  } finally {
    transport.close();
    server.close();
  }
});
