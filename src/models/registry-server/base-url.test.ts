import { expect, it } from 'vitest';
import { createBaseUrlResolver } from './base-url.ts';

const here = { localAddress: '127.0.0.1', localPort: 5000 };
const own = createBaseUrlResolver({ hostname: 'Workshop' });

it.each([
  ['127.0.0.1:5000', here],
  ['localhost:5000', here],
  ['workshop:5000', here],
  ['WORKSHOP.local:5000', here],
  ['192.168.1.7:5000', { localAddress: '::ffff:192.168.1.7', localPort: 5000 }],
  ['[fd00::7]:5000', { localAddress: 'fd00::7', localPort: 5000 }],
  ['192.168.1.7', { localAddress: '192.168.1.7', localPort: 80 }],
])('%s is an address of its own', (host, arrival) => {
  expect(own({ host, ...arrival })).toBe(`http://${host}`);
});

it.each([
  ['evil.example:5000', here],
  ['127.0.0.1', here],
  ['127.0.0.1:5001', here],
  ['10.0.0.1:5000', here],
  ['localhost:5000', { localAddress: '192.168.1.7', localPort: 5000 }],
  ['127.0.0.1:5000"', here],
  [undefined, here],
])('%s is not', (host, arrival) => {
  expect(own({ host, ...arrival })).toBeUndefined();
});

it('whoever runs it can say what it is, whatever the request says', () => {
  const named = createBaseUrlResolver({ hostname: 'workshop', url: 'https://models.example/' });
  expect(named({ host: 'evil.example', ...here })).toBe('https://models.example');
});
