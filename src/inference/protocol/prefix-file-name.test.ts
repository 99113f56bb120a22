import { expect, test } from 'vitest';
import { formatPrefixFileName, isUnfinished, parsePrefixFileName, unfinishedName } from './prefix-file-name.ts';

test('a name has the keys and the work', () => {
  const name = formatPrefixFileName({ key: 'ab'.repeat(32), tokens: '0f'.repeat(32), work: 12 });
  expect(parsePrefixFileName(name)).toEqual({ key: 'ab'.repeat(8), tokens: '0f'.repeat(16), work: 12 });
});

test('other names are not files of the cache', () => {
  for (const name of ['', 'notes.txt', '../x.prefix', `${'a'.repeat(16)}-${'b'.repeat(32)}-.prefix`, '.a.unfinished'])
    expect([parsePrefixFileName(name), isUnfinished(name)]).toEqual([undefined, false]);
  expect(isUnfinished(unfinishedName('0123456789abcdef'))).toBe(true);
});
