import { expect, test } from 'vitest';
import { judgeProxies } from './proxies.ts';

test('no proxy and one that accepts connections are ok', () => {
  expect(judgeProxies({ proxies: [], except: 'localhost' })).toEqual([{ status: 'ok', text: 'none' }]);
  expect(judgeProxies({ proxies: [{ address: 'http://proxy.example:3128' }], except: 'intern.example' })).toEqual([
    { status: 'ok', text: 'http://proxy.example:3128, except for intern.example' },
  ]);
});

test('a proxy that cannot be reached is a warning', () => {
  const proxies = [{ address: 'http://proxy.example:3128', failure: 'connection refused' }];
  expect(judgeProxies({ proxies, except: '' })).toMatchObject([
    { status: 'warning', text: 'the proxy http://proxy.example:3128 cannot be reached: connection refused' },
  ]);
});
