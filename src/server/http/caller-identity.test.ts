import { expect, test } from 'vitest';
import { callerIdentity } from './requests.ts';

const identityOf = (ip: string): string => callerIdentity({ ip });

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.2', '127.0.0.2'],
  ['::ffff:192.168.1.7', '192.168.1.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('the caller at %s is %s', (ip, identity) => {
  expect(identityOf(ip)).toBe(identity);
});

test('all addresses of an IPv6 network of 64 bits are one caller, those of another are not', () => {
  expect(identityOf('2001:db8::1')).toBe(identityOf('2001:db8:0:0:ffff:ffff:ffff:ffff'));
  expect(identityOf('2001:db8::1')).not.toBe(identityOf('2001:db8:0:1::1'));
});

test('headers do not count', () => {
  const requestOf = (headers: object) => ({ ip: '192.0.2.1', headers });
  const forged = requestOf({ 'user-agent': 'other', authorization: 'Bearer other', 'x-forwarded-for': '192.0.2.2' });
  expect(callerIdentity(forged)).toBe(callerIdentity(requestOf({})));
});

test('a caller with a key is the same one at every address', () => {
  expect(callerIdentity({ ip: '192.0.2.1' }, { id: 'a1' })).toBe(callerIdentity({ ip: '192.0.2.2' }, { id: 'a1' }));
  expect(callerIdentity({ ip: '192.0.2.1' }, { id: 'a1' })).not.toBe(callerIdentity({ ip: '192.0.2.1' }, { id: 'a2' }));
});
