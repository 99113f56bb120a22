import { expect, test } from 'vitest';
import { byAxis, linePositions } from './open-projector.ts';

test('the positions of an image are ordered by axis, and rows come before columns', () => {
  const [first, second] = [
    { time: 7, column: 1, row: 2, reserved: 0 },
    { time: 7, column: 3, row: 4, reserved: 9 },
  ];
  const positions = Uint32Array.from([first, second].flatMap(Object.values));
  expect([...byAxis(positions, 2)]).toEqual([7, 7, 2, 4, 1, 3, 0, 9]);
});

test('a recording has the same rows and columns as times', () => {
  expect([...linePositions(5, 2)]).toEqual([5, 6, 5, 6, 5, 6, 0, 0]);
});
