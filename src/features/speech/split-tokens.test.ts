import { expect, test } from 'vitest';
import { splitTokens, type WindowToken } from './split-tokens.ts';

const time = (seconds: number): WindowToken => ({ id: 50_364, start: seconds, end: seconds, logprob: 0 });
const said = (text: string | Buffer, start: number, end: number): WindowToken => ({
  id: 1,
  text: Buffer.from(text),
  start,
  end,
  logprob: -1,
});
const window = { start: 60, length: 30, noSpeech: 0.25 };

test('times separate segments, spaces separate words', () => {
  const tokens = [
    time(0),
    said(' One', 0, 1),
    said('s', 1, 2),
    said(' two.', 2, 3),
    time(4),
    time(5),
    said(' Three', 5, 6),
    time(7),
  ];
  const { segments, next } = splitTokens(tokens, window);
  expect(segments).toMatchObject([
    { text: ' Ones two.', start: 60, end: 64, logprob: -1, noSpeech: 0.25, tokens: [1, 1, 1] },
    { text: ' Three', start: 65, end: 67 },
  ]);
  expect(segments[0]?.words).toEqual([
    { text: 'Ones', start: 60, end: 62 },
    { text: 'two.', start: 62, end: 63 },
  ]);
  expect(next).toBe(30);
});

test('a window that ends inside a segment is continued at its last time', () => {
  const { segments, next } = splitTokens([time(0), said(' One', 0, 1), time(12), time(12)], window);
  expect([segments.length, next]).toEqual([1, 12]);
});

test('text after the last time reaches to the end of the audio', () => {
  const { segments, next } = splitTokens([time(0), said(' One', 0, 40)], { ...window, length: 2 });
  expect(segments).toMatchObject([{ start: 60, end: 62, words: [{ start: 60, end: 62 }] }]);
  expect(next).toBe(2);
});

test('a character may consist of several tokens', () => {
  const [first, ...rest] = Buffer.from('é');
  const tokens = [said(Buffer.from([0x20, first as number]), 0, 1), said(Buffer.from(rest), 1, 2)];
  expect(splitTokens(tokens, window).segments[0]?.words).toMatchObject([{ text: 'é' }]);
});

test('silence has no segments', () => {
  expect(splitTokens([], window)).toEqual({ segments: [], next: 30 });
  expect(splitTokens([time(0), said(' ', 0, 1), time(30)], window).segments).toEqual([]);
});
