import { expect, test } from 'vitest';
import { judgeAccess } from './access.ts';

const local = { isLocal: true, allowOpen: false, keys: 0 };
const onNetwork = { ...local, isLocal: false };

test.each([
  ['this machine', local, 'ok', 'the server listens on this machine only, and requests need no key'],
  ['keys', { ...local, keys: 2 }, 'ok', 'the server listens on this machine only, and requests need one of 2 keys'],
  ['the network with keys', { ...onNetwork, keys: 1 }, 'ok', expect.stringContaining('on the network')],
  ['the network, open', { ...onNetwork, allowOpen: true }, 'warning', expect.stringContaining('everyone')],
  ['the network without keys', onNetwork, 'problem', expect.stringContaining('does not start')],
  ['a damaged file', { ...local, failure: 'the file of keys is damaged' }, 'problem', 'the file of keys is damaged'],
])('%s', (_, facts, status, text) => {
  expect(judgeAccess(facts)).toMatchObject([{ status, text }]);
});
