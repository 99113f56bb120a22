import { expect, test } from 'vitest';
import { chooseCited } from './choose-cited.ts';

const passages = [1, 2, 3].map((number) => ({
  ...{ number, text: '', score: 1, collection: 'c', file_id: 'f', file_name: 'f.pdf', start: 0, end: 0 },
}));

test.each([
  ['At seven [1].', [1]],
  ['Seven [1], four [3, 2], and 【2】 again.', [1, 2, 3]],
  ['Nothing: [4], a[x], [ 1', []],
])('%j cites %j', (text, cited) => {
  const chosen = chooseCited(text, passages);
  expect(chosen.cited.map(({ number }) => number)).toEqual(cited);
  expect(chosen.others).toHaveLength(3 - cited.length);
});
