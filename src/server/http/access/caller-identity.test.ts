import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { ClientSeparation } from '../../../base/request/request-scope.ts';
import { createIdentifyCaller } from './caller-identity.ts';

const senderOf = ({ ip = '192.0.2.1', headers = {}, socket = new Socket() }) => ({ ip, headers, raw: { socket } });
const byAddress = createIdentifyCaller('address');
const callerIdentity = (sender: { ip?: string; headers?: object }, key?: { id: string }): string =>
  byAddress(senderOf(sender), key).client;

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

test('by connection: requests of one connection are one caller, and share no evaluated prompts with others', () => {
  const identify = createIdentifyCaller('connection');
  const [one, other] = [new Socket(), new Socket()];
  const [first, again, second] = [one, one, other].map((socket) => identify(senderOf({ socket }), undefined));
  expect(first).toEqual(again);
  expect(second?.client).not.toBe(first?.client);
  expect(first?.partition).toBe(first?.client);
});

test('by a header: its values are callers of their address; without it, all requests of an address are one', () => {
  const identify = createIdentifyCaller({ header: 'x-user' });
  const clientOf = (user?: string, ip = '192.0.2.1') =>
    identify(senderOf({ ip, headers: user === undefined ? {} : { 'x-user': user } }), undefined).client;
  expect(clientOf('ada')).toBe(clientOf('ada'));
  expect(new Set([clientOf('ada'), clientOf('bob'), clientOf(), clientOf('ada', '192.0.2.2')]).size).toBe(4);
  expect(clientOf()).toBe('192.0.2.1');
  expect(clientOf('x'.repeat(100_000)).length).toBeLessThan(60);
});

test.each<ClientSeparation>(['connection', { header: 'x-user' }])('a key outweighs %j', (separation) => {
  const identify = createIdentifyCaller(separation);
  const callers = ['a', 'b'].map((user) => identify(senderOf({ headers: { 'x-user': user } }), { id: 'k' }));
  expect(callers[0]).toEqual(callers[1]);
});

test('a caller whose connection was closed before its request is read has no address', () => {
  const sender = { headers: {}, raw: { socket: new Socket() }, ip: undefined };
  expect(byAddress(sender, undefined).client).toBe('closed');
  expect(byAddress(sender, { id: 'a1' }).client).toBe('key_a1');
});
