import { expect, it } from 'vitest';
import { createBaseUrlResolver } from './base-url.ts';

const loopback = { localAddress: '127.0.0.1', localPort: 5000 };
const resolveBaseUrl = createBaseUrlResolver({ hostname: 'Workshop' });

it.each([
  ['127.0.0.1:5000', loopback],
  ['localhost:5000', loopback],
  ['workshop:5000', loopback],
  ['WORKSHOP.local:5000', loopback],
  ['192.168.1.7:5000', { localAddress: '::ffff:192.168.1.7', localPort: 5000 }],
  ['[fd00::7]:5000', { localAddress: 'fd00::7', localPort: 5000 }],
  ['192.168.1.7', { localAddress: '192.168.1.7', localPort: 80 }],
])('%s names this registry', (host, connection) => {
  expect(resolveBaseUrl({ host, ...connection })).toBe(`http://${host}`);
});

it.each([
  ['evil.example:5000', loopback],
  ['127.0.0.1', loopback],
  ['127.0.0.1:5001', loopback],
  ['10.0.0.1:5000', loopback],
  ['localhost:5000', { localAddress: '192.168.1.7', localPort: 5000 }],
  ['127.0.0.1:5000"', loopback],
  [undefined, loopback],
])('%s does not name this registry', (host, connection) => {
  expect(resolveBaseUrl({ host, ...connection })).toBeUndefined();
});

it('a configured URL overrides the Host header', () => {
  const configured = createBaseUrlResolver({ hostname: 'workshop', url: 'https://models.example/' });
  expect(configured({ host: 'evil.example', ...loopback })).toBe('https://models.example');
});

it('a registry with TLS has https URLs, and port 443 needs no mention', () => {
  const secure = createBaseUrlResolver({ hostname: 'Workshop', scheme: 'https' });
  const connection = { localAddress: '192.168.1.5' };
  expect(secure({ host: 'workshop:5000', localPort: 5000, ...connection })).toBe('https://workshop:5000');
  expect(secure({ host: 'workshop', localPort: 443, ...connection })).toBe('https://workshop');
  expect(secure({ host: 'workshop', localPort: 80, ...connection })).toBeUndefined();
});
