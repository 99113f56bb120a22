import { expect, test } from 'vitest';
import { judgeRegistry } from './registry.ts';

const host = 'registry.example';

test.each([
  ['it asks for a token', { host, isProxied: false, status: 401 }, 'ok', 'registry.example answers'],
  ['a proxy', { host, isProxied: true, status: 200 }, 'ok', 'registry.example answers through the proxy'],
  ['an outage', { host, isProxied: false, status: 503 }, 'warning', 'registry.example answers with status 503'],
  [
    'no network',
    { host, isProxied: false, failure: 'host not found' },
    'warning',
    'registry.example cannot be reached: host not found',
  ],
])('%s', (_, answer, status, text) => {
  expect(judgeRegistry(answer)).toMatchObject([{ status, text }]);
});
