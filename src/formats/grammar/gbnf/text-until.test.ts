import { expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { unlimitedEffort } from '../../../base/effort.ts';
import { literal } from './expression.ts';
import { createRules } from './rules.ts';
import { textUntil, textUntilAny } from './text-until.ts';
import { writeGrammar } from './write-grammar.ts';

function grammarOf(end: string): ReturnType<typeof parseGbnf> {
  const rules = createRules();
  const root = textUntil(rules, end);
  return parseGbnf(writeGrammar(rules.all, root, unlimitedEffort) ?? '');
}

test.each(['</parameter>', 'aabaaab', '<|"|>', 'x'])('the text ends with the first %s', (end) => {
  const grammar = grammarOf(end);
  for (const before of ['', 'é\n🙂', 'aabaa', '</param', '<</parameter', '<|"|', end.slice(0, -1)]) {
    const text = before + end;
    expect(grammar.matches(text)).toBe(text.indexOf(end) === text.length - end.length);
    expect(grammar.matches(before)).toBe(false);
    expect(grammar.matches(`${text}!`)).toBe(false);
    expect(grammar.matches(text + end)).toBe(false);
  }
});

test.each([
  ['ab', 'abc'],
  ['abc', 'b'],
  ['aab', 'ab', 'b'],
  ['aaa', 'ba', 'aba'],
])('the text ends with the first of %s', (...marks: string[]) => {
  const rules = createRules();
  const options = { mayEnd: false, spend: () => {} };
  const root = textUntilAny(
    rules,
    marks.map((text, index) => ({ text, next: literal(`#${index}`) })),
    options,
  );
  const grammar = parseGbnf(writeGrammar(rules.all, root, unlimitedEffort) ?? '');
  for (let number = 0; number < 3 ** 6; number++) {
    const text = number.toString(3).replaceAll('0', 'a').replaceAll('1', 'b').replaceAll('2', 'c');
    const isFirst = !marks.some((mark) => text.slice(0, -1).includes(mark));
    const ended = marks.findIndex((mark) => text.endsWith(mark));
    for (const index of marks.keys())
      expect(grammar.matches(`${text}#${index}`), `${text}#${index}`).toBe(isFirst && index === ended);
  }
});

test('the work counts that long marks with many characters take', () => {
  const text = Array.from({ length: 300 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
  let steps = 0;
  const spend = (added: number): void => {
    steps += added;
  };
  textUntilAny(createRules(), [{ text, next: literal('x') }], { mayEnd: true, spend });
  expect(steps).toBeGreaterThanOrEqual(300 * 300);
});
