import { expect, test } from 'vitest';
import { parseHash, toHash } from './router.ts';

test.each([
  ['', '', ''],
  ['#/', '', ''],
  ['#/chat/a1', 'chat', 'a1'],
  ['#/models', 'models', ''],
  ['#/chat/a%2Fb', 'chat', 'a/b'],
  ['#/chat/%', 'chat', ''],
])('%s', (hash, view, id) => {
  expect(parseHash(hash)).toEqual({ view, id });
});

test('an address is read as it was written', () => {
  for (const location of [
    { view: '', id: '' },
    { view: 'chat', id: 'a/b c' },
  ])
    expect(parseHash(toHash(location))).toEqual(location);
});
