import { describe, expect, test } from 'vitest';
import { limitMarks, marksAfter, planMarks, withPlanned } from './marks.ts';

// Token 1 is BOS, 2 begins a message, 3 ends one.
const isControl = (token: number): boolean => token <= 3;
const message = (length: number): number[] => [2, ...new Array<number>(length - 2).fill(50), 3];
const header = [2, 60, 61];
const plan = (prompt: readonly number[], atEnd = false): number[] => planMarks(prompt, { isControl, atEnd });

describe('planMarks', () => {
  test('after the system message, at the last message, and at the answer', () => {
    const prompt = [1, ...message(100), ...message(40), ...message(30), ...message(50), ...header];
    expect(plan(prompt)).toEqual([101, 171, 221]);
  });

  test('of a first question: the last message follows the system message', () => {
    expect(plan([1, ...message(100), ...message(40), ...header])).toEqual([101, 141]);
  });

  test('short messages share a mark', () => {
    expect(plan([1, ...message(10), ...message(40), ...header])).toEqual([51]);
    expect(plan([...message(100), ...message(8), ...header])).toEqual([108]);
  });

  test('a prompt that ends with text has a mark before its last token', () => {
    const prompt = [...message(100), ...message(40), ...new Array<number>(200).fill(50)];
    expect(plan(prompt)).toEqual([100, 339]);
    expect(plan(new Array<number>(24).fill(50))).toEqual([23]);
    expect(plan([50, 51, 52])).toEqual([]);
  });

  test('at the end instead of at the answer, if the next prompt is expected to repeat it', () => {
    expect(plan([1, ...message(100), ...message(40), ...message(50), ...header], true)).toEqual([101, 141, 194]);
    expect(plan(new Array<number>(24).fill(50), true)).toEqual([24]);
  });

  test('parts of images are not control tokens', () => {
    expect(plan([-5, -5, -5, ...new Array<number>(20).fill(50)])).toEqual([22]);
  });
});

test('withPlanned keeps the order, and each mark once', () => {
  expect(withPlanned([3, 9], 5)).toEqual([3, 5, 9]);
  expect(withPlanned([3, 9], 9)).toEqual([3, 9]);
});

test('marksAfter drops marks close to the start of the rest, but not the last one', () => {
  expect(marksAfter([20, 60, 400], 0)).toEqual([20, 60, 400]);
  expect(marksAfter([100, 140, 400], 100)).toEqual([400]);
  expect(marksAfter([100, 164, 400], 100)).toEqual([164, 400]);
  expect(marksAfter([100, 140], 100)).toEqual([140]);
  expect(marksAfter([100], 100)).toEqual([]);
});

test('limitMarks keeps the first and the last', () => {
  const marks = Array.from({ length: 12 }, (_, index) => ({ length: index, state: Buffer.alloc(0) }));
  expect(limitMarks(marks).map(({ length }) => length)).toEqual([0, 1, 2, 7, 8, 9, 10, 11]);
  expect(limitMarks(marks.slice(0, 8))).toHaveLength(8);
});
