import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { HearthError } from '../errors.ts';
import { toListenError } from './listen-error.ts';

async function listenError(host: string, port: number): Promise<unknown> {
  const server = createServer().listen({ host, port });
  return once(server, 'listening').then(
    () => server.close(),
    (error: unknown) => toListenError(error, { host, port, choose: '--host' }),
  );
}

test('an address in use, and one of another machine', async () => {
  const first = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(first, 'listening');
  const { port } = first.address() as { port: number };
  const inUse = await listenError('127.0.0.1', port);
  first.close();
  expect(inUse).toMatchObject({
    code: 'bad_configuration',
    message: `127.0.0.1:${port} is in use by another server. Stop it, or choose another address with --host.`,
  });
  // Reserved for documentation.
  expect(await listenError('192.0.2.1', 0)).toMatchObject({
    message: expect.stringMatching(/^192\.0\.2\.1 is not an address of this machine\./),
  });
});

test.each([
  ['ENOTFOUND', 'the host x.example was not found. Check the name, or choose another address with --host.'],
  ['EACCES', 'no permission to listen on x.example:80. Use a port above 1023, or choose another address with --host.'],
])('%s', (code, message) => {
  const error = Object.assign(new Error(`getaddrinfo ${code}`), { code });
  expect(toListenError(error, { host: 'x.example', port: 80, choose: '--host' })).toMatchObject({ message });
});

test('other errors stay as they are', () => {
  const error = new HearthError('internal', 'x');
  expect(toListenError(error, { host: 'x', port: 1, choose: '--host' })).toBe(error);
});
