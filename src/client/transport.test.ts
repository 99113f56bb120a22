import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createSecureContext } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { createTestAuthority } from '../../test/support/certificates.ts';
import { createTransport, type TransportOptions } from './transport.ts';

test('only connecting has a timeout: a response may take longer, on a new and on a reused connection', async () => {
  // Long enough to connect on a busy machine.
  const connectTimeout = 1000;
  const server = createServer((_, response) => void setTimeout(() => response.end('late'), 1.3 * connectTimeout));
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

describe('TLS', () => {
  const authority = createTestAuthority();
  const createTlsContext = async () => createSecureContext({ ca: authority.cert });

  async function get(server: Server, options: TransportOptions): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const transport = createTransport(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
    try {
      for (let attempt = 0; ; attempt++) {
        const { status, body } = await transport.send({ method: 'GET', path: '/' });
        body.resume();
        if (attempt === 1) return status;
      }
    } finally {
      transport.close();
      server.close();
    }
  }

  test('a server of a trusted authority is reached, on a new and on a reused connection', async () => {
    const server = createTlsServer(authority.issue(), (_, response) => response.end('hello'));
    expect(await get(server, { createTlsContext })).toBe(200);
  });

  test.each([
    [{}, ['127.0.0.1'], 'set HEARTH_TLS_CA to the PEM file of its authority'],
    [{ createTlsContext }, ['other.example'], 'its certificate is for other names'],
  ])('with %j, a server for %j is refused with the next step', async (options, names, message) => {
    const server = createTlsServer(authority.issue({ names }), (_, response) => response.end('hello'));
    await expect(get(server, options)).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining(message),
    });
  });

  test('a server without TLS is refused with the next step', async () => {
    await expect(get(createServer(), { createTlsContext })).rejects.toThrow('has no TLS: use http:// in its address');
  });

  test('a server that accepts connections and never answers is not there', async () => {
    const server = createTcpServer();
    await expect(get(server, { createTlsContext, connectTimeout: 100 })).rejects.toMatchObject({ kind: 'unreachable' });
  });
});
