import { expect, test } from 'vitest';
import { createBatch } from './batch.ts';

test('the first positions are those of the rows of the current pass', () => {
  const batch = createBatch(8);
  const add = (sequence: number, position: number) => batch.add({ token: 1, position, sequence, logits: false });
  for (const position of [7, 8, 9]) add(0, position);
  batch.clear();
  add(2, 31);
  add(2, 30);
  add(1, 4);
  expect([...batch.firstPositions()]).toEqual([
    [2, 30],
    [1, 4],
  ]);
});
