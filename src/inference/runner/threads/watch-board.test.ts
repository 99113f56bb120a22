import { expect, test } from 'vitest';
import { beginWatch, endWatch, openWatchBoard, sleepUntilPass, stopPass, watchedPass } from './watch-board.ts';

test('the flag is set while the pass runs that was seen', () => {
  const board = openWatchBoard();
  beginWatch(board, 0, 60);
  const { pass, late } = watchedPass(openWatchBoard(board.buffer));
  expect(late).toBe(60);
  expect([...board.flag]).toEqual([0, 0]);
  stopPass(board, pass);
  expect([...board.flag]).toEqual([1, 0]);
  endWatch(board);
  expect([...board.flag]).toEqual([0, 0]);
});

test('a pass that was not seen is not stopped', () => {
  const board = openWatchBoard();
  beginWatch(board, 0, 60);
  const { pass } = watchedPass(board);
  endWatch(board);
  stopPass(board, pass);
  expect([...board.flag]).toEqual([0, 0]);
  beginWatch(board, 1, 60);
  stopPass(board, pass);
  expect([...board.flag]).toEqual([0, 0]);
});

test('numbers wrap around, and are never that of no pass', () => {
  const board = openWatchBoard();
  const seen = [0, 1, 0x7ffd, 0x7ffe, 0x7fff, 0xffff, 2 ** 40].map((number) => {
    beginWatch(board, number, 60);
    expect([...board.flag]).toEqual([0, 0]);
    return watchedPass(board).pass;
  });
  expect(seen).not.toContain(0);
  for (const [index, pass] of seen.slice(1).entries()) expect(pass).not.toBe(seen[index]);
});

test('there is no sleep while a pass is watched', () => {
  const board = openWatchBoard();
  beginWatch(board, 0, 60);
  sleepUntilPass(board);
  expect(watchedPass(board).pass).not.toBe(0);
});
