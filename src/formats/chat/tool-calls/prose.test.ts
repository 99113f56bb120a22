import { expect, test } from 'vitest';
import { createProse } from './tool-call-parser.ts';

/** `undefined` is a call. */
function contentOf(...parts: readonly (string | undefined)[]): string {
  const prose = createProse();
  let content = '';
  for (const part of parts) {
    if (part === undefined) prose.call();
    else prose.write(part);
    content += prose.take();
  }
  return content + prose.finish();
}

const call = undefined;

test.each<[readonly (string | undefined)[], string]>([
  [[' a ', ' ', 'b '], ' a  b '],
  [[' '], ' '],
  [['a\n', call], 'a'],
  [[' ', call, ' ', 'b'], 'b'],
  [['a ', call, '\n', 'b'], 'a b'],
  [['a', call, '\n', ' b'], 'a\n b'],
  [['a', call, 'b'], 'ab'],
  [['a ', call, ' ', call, '\nb ', call, ' c'], 'a b c'],
  [['a', call, 'b', call, '\tc '], 'ab\tc '],
])('%j', (parts, content) => {
  expect(contentOf(...parts)).toBe(content);
});
