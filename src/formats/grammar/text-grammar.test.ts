import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { textToGrammar } from './text-grammar.ts';

describe('a regular expression', () => {
  test.each([
    [String.raw`\d{3}-\d{4}`, ['555-1234'], ['5551234', ' 555-1234', '555-1234 ']],
    ['^(yes|no)$', ['yes', 'no'], ['maybe', 'yes!', '']],
    ['yes|no', ['yes', 'no'], ['yesno', 'xyes', 'nox']],
    [String.raw`costs \$`, ['costs $'], ['costs ']],
    [String.raw`a\\$`, ['a\\'], ['a', 'a\\$']],
    ['(a|ab)(c|bcd)*', ['a', 'abc', 'abcd', 'abbcdc'], ['b', 'abd']],
    ['[^"]*', ['', 'a fox\n'], ['"', '\0', '\x1b']],
    ['(?:a*)*b', ['b', 'aab'], ['a']],
    ['.+', ['漢字 🦊'], ['', 'two\nlines']],
  ])('%s', (pattern, matching, others) => {
    const grammar = parseGbnf(textToGrammar({ pattern }));
    for (const text of matching) expect([text, grammar.matches(text)]).toEqual([text, true]);
    for (const text of others) expect([text, grammar.matches(text)]).toEqual([text, false]);
  });

  test('gives only texts that match', () => {
    const pattern = String.raw`(?:[A-Z][a-z]{0,5} )?\w+@(?:\w+\.)+(?:com|org)`;
    const grammar = parseGbnf(textToGrammar({ pattern }));
    let seed = 1;
    const random = (): number => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let count = 0; count < 100; count++) expect(grammar.sample(random)).toMatch(new RegExp(`^(?:${pattern})$`));
  });

  test.each([
    ['(', 'format: the regular expression'],
    [String.raw`(a)\1`, 'format: the regular expression'],
    ['a$b', 'format: the regular expression'],
    ['x'.repeat(3000), 'is longer than 2000 characters'],
    ['(?:.{0,1000}x){0,1000}', 'format: the regular expression'],
    [String.raw`\x00`, 'format: the regular expression matches no text'],
  ])('%s is refused', (pattern, message) => {
    expect(() => textToGrammar({ pattern })).toThrow(message);
  });
});

describe('a list of choices', () => {
  test('matches its texts and no other', () => {
    const choices = ['no', 'not', 'nothing', 'yes', 'say "yes"\n', '🦊', '🦋', 'yes'];
    const grammar = parseGbnf(textToGrammar({ choices }));
    for (const text of choices) expect([text, grammar.matches(text)]).toEqual([text, true]);
    for (const text of ['', 'noth', 'nono', 'say "yes"', '\ud83e']) expect(grammar.matches(text)).toBe(false);
  });

  test('may be long, and is bounded', () => {
    const labels = Array.from({ length: 1000 }, (_, index) => `label number ${index}`);
    expect(parseGbnf(textToGrammar({ choices: labels })).matches('label number 999')).toBe(true);
    expect(() => textToGrammar({ choices: [...labels, 'x'] })).toThrow('more than 1000 texts');
    expect(() => textToGrammar({ choices: ['x'.repeat(70_000)] })).toThrow('65536 characters');
    expect(() => textToGrammar({ choices: [] })).toThrow('the list of choices is empty');
  });
});
