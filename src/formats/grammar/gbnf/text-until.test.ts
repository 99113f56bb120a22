import { expect, test } from 'vitest';
import { parseGbnf } from '../../../../test/support/grammar/gbnf.ts';
import { unlimitedEffort } from '../../../base/effort.ts';
import { createRules } from './rules.ts';
import { textUntil } from './text-until.ts';
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
