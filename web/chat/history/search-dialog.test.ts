import { expect, test } from 'vitest';
import { splitAtMatch } from './search-dialog.tsx';

test.each([
  ['Where do apples grow?', 'APPLES', ['Where do ', 'apples', ' grow?']],
  ['Where do apples grow?', 'pears', ['Where do apples grow?', '', '']],
  ['Where do apples grow?', '', ['Where do apples grow?', '', '']],
  // The text in lower case has another length, so that a place in it says nothing.
  ['İstanbul', 'stanbul', ['İstanbul', '', '']],
])('%s contains "%s"', (text, wanted, parts) => {
  expect(splitAtMatch(text, wanted)).toEqual(parts);
});
