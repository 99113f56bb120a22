import { expect, test } from 'vitest';
import { createEchoLogprobs } from './completion-logprobs.ts';

const token = (text: string, logprob?: number, top: readonly [string, number][] = []) => ({
  token: 1,
  bytes: [...Buffer.from(text, 'latin1')],
  ...(logprob === undefined ? {} : { logprob, rank: 1 }),
  top: top.map(([name, value]) => ({ token: 2, bytes: [...Buffer.from(name)], logprob: value })),
});
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

test('offsets are places in the text, for tokens that are not in it and for parts of characters, too', () => {
  const text = 'Hi né👍!';
  const toBody = createEchoLogprobs(text, 0);
  const parts = ['<s>', ' Hi', ' n', utf8('é').slice(0, 1), utf8('é').slice(1), utf8('👍'), '!'];
  const first = toBody(parts.slice(0, 3).map((part) => token(part, -1)));
  const rest = toBody(parts.slice(3).map((part) => token(part, -1)));
  expect([...first.text_offset, ...rest.text_offset]).toEqual([0, 0, 2, 4, 5, 5, 7]);
});

test('the likeliest tokens include the token itself; the first token has none', () => {
  const { token_logprobs, top_logprobs } = createEchoLogprobs(
    'ab',
    1,
  )([
    token('a'),
    token('b', -3, [
      ['c', -0.5],
      ['d', -1],
    ]),
  ]);
  expect(token_logprobs).toEqual([null, -3]);
  expect(top_logprobs).toEqual([null, { c: -0.5, b: -3 }]);
});
