import { expect, test } from 'vitest';
import { splitAt } from './search-dialog.tsx';

test.each([
  ['Where do apples grow?', 'APPLES', ['Where do ', 'apples', ' grow?']],
  ['Where do apples grow?', 'pears', ['Where do apples grow?', '', '']],
  ['Where do apples grow?', '', ['Where do apples grow?', '', '']],
  // The text in lower case has another length, so that a place in it says nothing.
  ['İstanbul', 'stanbul', ['İstanbul', '', '']],
])('%s contains "%s"', (text, wanted, parts) => {
  expect(splitAt(text, wanted)).toEqual(parts);
});
