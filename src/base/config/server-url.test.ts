import { expect, test } from 'vitest';
import { address, type ListenAddress } from './kinds.ts';
import { toServerUrl } from './server-url.ts';

test.each([
  ['127.0.0.1:11434', 'https://127.0.0.1:11434'],
  ['0.0.0.0:443', 'https://127.0.0.1'],
  ['http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
])('clients reach a server with TLS that listens on %s at %s', (text, url) => {
  expect(toServerUrl(address.parse(text) as ListenAddress, { servesTls: true })).toBe(url);
});

test.each([
  ['127.0.0.1:11434', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['[::]:8080', 'http://[::1]:8080'],
  ['unix:/run/a b.sock', 'unix:/run/a b.sock'],
  ['http://models.internal', 'http://models.internal'],
  ['https://models.internal/hearth/', 'https://models.internal/hearth'],
  ['https://models.internal:8443', 'https://models.internal:8443'],
])('clients reach a server that listens on %s at %s', (text, url) => {
  expect(toServerUrl(address.parse(text) as ListenAddress)).toBe(url);
});
