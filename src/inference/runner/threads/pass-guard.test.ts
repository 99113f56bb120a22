import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { decodeAborted } from '../llama/abort-flag.ts';
import type { ContextPointer } from '../llama/bindings/pointers.ts';
import { createPassGuard } from './pass-guard.ts';
import { openWatchBoard, stopPass, type WatchBoard, watchedPass } from './watch-board.ts';

const context = 1n as ContextPointer;

function setUp() {
  const clock = createFakeClock();
  const boards: WatchBoard[] = [];
  const flagged: ContextPointer[] = [];
  let flag = new Uint8Array(2);
  const guard = createPassGuard({
    clock,
    setAbortFlag(own, memory) {
      flagged.push(own);
      flag = memory as Uint8Array<ArrayBuffer>;
    },
    startWatchdog: (buffer) => void boards.push(openWatchBoard(buffer)),
  });
  /** Returns the milliseconds after which the pass is late, or undefined if it is not watched. */
  const run = (milliseconds: number, { threads = 2, tokens = 1, watched = true, own = context } = {}) => {
    let late: number | undefined;
    guard.run(own, {
      threads,
      tokens,
      watched,
      decode() {
        clock.advance(milliseconds);
        const [board] = boards;
        if (board !== undefined && watchedPass(board).pass !== 0) late = watchedPass(board).late;
        return 0;
      },
    });
    return late;
  };
  return { guard, run, boards, flagged, isSet: () => flag[0] === 1 };
}

test('a pass is late after twice the usual time, and not before 60 milliseconds', () => {
  const { run } = setUp();
  expect([run(100), run(100), run(10), run(10)]).toEqual([undefined, 200, 200, 60]);
});

test.each([
  ['of one thread', { threads: 1 }],
  ['of many tokens', { tokens: 17 }],
  ['that cannot be repeated', { watched: false }],
])('a pass %s is not watched', (_, options) => {
  const { run, boards } = setUp();
  for (let count = 0; count < 3; count++) expect(run(100, options)).toBeUndefined();
  expect(boards).toHaveLength(0);
});

test('the watchdog starts once, and all contexts have its flag', () => {
  const { run, boards, flagged } = setUp();
  const other = 2n as ContextPointer;
  for (const own of [context, other, context, other]) run(100, { own });
  expect(boards).toHaveLength(1);
  expect(flagged).toEqual([context, other]);
});

test('a new context at the address of one that was freed gets the flag', () => {
  const { guard, run, flagged } = setUp();
  run(100);
  guard.forget(context);
  expect(run(100)).toBeUndefined();
  expect(flagged).toEqual([context, context]);
});

test('a stopped pass leaves no flag, and its time is not a usual one', () => {
  const { guard, run, boards, isSet } = setUp();
  run(100);
  run(100);
  const board = boards[0] as WatchBoard;
  const decode = (): number => {
    stopPass(board, watchedPass(board).pass);
    expect(isSet()).toBe(true);
    return decodeAborted;
  };
  expect(guard.run(context, { threads: 2, tokens: 1, watched: true, decode })).toBe(decodeAborted);
  expect(isSet()).toBe(false);
  expect(run(100)).toBe(200);
});
