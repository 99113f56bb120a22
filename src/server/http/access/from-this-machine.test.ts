import { expect, test } from 'vitest';
import { isFromThisMachine } from './from-this-machine.ts';

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}): boolean =>
  isFromThisMachine({ headers, socket: { remoteAddress } });

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.168.0.1', false],
  ['::ffff:192.168.0.1', false],
  ['0.0.0.0', false],
  ['localhost', false],
  ['unix', true],
  [undefined, false],
])('a connection from %s comes from this machine: %s', (address, expected) => {
  expect(from(address)).toBe(expected);
});

test('a page comes from this machine only if it is a page of this server', () => {
  const host = 'localhost:11434';
  expect(from('127.0.0.1', { host, origin: 'http://localhost:11434' })).toBe(true);
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:11434', 'http://localhost', 'null', 'app://x'])
    expect(from('127.0.0.1', { host, origin })).toBe(false);
});

test.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
  'a request with %s comes through a proxy',
  (name) => {
    expect(from('127.0.0.1', { [name]: '' })).toBe(false);
  },
);
