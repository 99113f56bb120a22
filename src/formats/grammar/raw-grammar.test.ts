import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { HearthError } from '../../base/errors.ts';
import { rawToGrammar } from './raw-grammar.ts';

const matches = (grammar: string, text: string): boolean => parseGbnf(rawToGrammar(grammar)).matches(text);

describe('the rewritten grammar matches the same texts', () => {
  test.each([
    ['literals and choices', 'root ::= "yes" | "no"', ['yes', 'no'], ['', 'maybe', 'yesno']],
    [
      'repetitions',
      'root ::= "a"* "b"+ "c"? [d-f]{2} "g"{1,3} "h"{2,}',
      ['bddghh', 'aabbcefggghhh'],
      ['bddgh', 'ddghh'],
    ],
    ['classes', 'root ::= [^a-c\\]]+', ['xyz', 'é'], ['a', ']', '']],
    ['any character', 'root ::= . .', ['ab', '漢é'], ['a', 'abc']],
    ['escapes', String.raw`root ::= "\n\t\"\\\x41\u00e9\U0001F98A" [\]\\^-]`, ['\n\t"\\Aé🦊]', '\n\t"\\Aé🦊-'], ['x']],
    ['groups and rules', 'root ::= item (", " item)*\nitem ::= [a-z]+ # a word', ['fox', 'fox, hen'], ['fox,hen']],
    ['recursion', 'root ::= "(" root? ")"', ['()', '((()))'], ['(()', ')(']],
    ['an empty alternative', 'root ::= "a" ( "b" | )', ['a', 'ab'], ['b']],
    ['rule names that JSON rules have too', 'root ::= value ws\nvalue ::= "v"\nws ::= "w"', ['vw'], ['v', '{}']],
    ['line breaks anywhere', 'root ::=\n  "a"\n  | "b"\n\n\n', ['a', 'b'], ['ab']],
    [
      'arithmetic',
      'root ::= expr\nexpr ::= term ([-+*/] term)*\nterm ::= [0-9]+ | "(" expr ")"',
      ['1+(2*3)'],
      ['1+', '()'],
    ],
  ])('%s', (_, grammar, good, bad) => {
    for (const text of good) expect([text, matches(grammar, text)]).toEqual([text, true]);
    for (const text of bad) expect([text, matches(grammar, text)]).toEqual([text, false]);
  });
});

describe('refuses', () => {
  const wide = (count: number) => `root ::= ${'"a"? '.repeat(count)}`;
  test.each([
    ['an empty grammar', '', 'has no rule named root'],
    ['a grammar without root', 'start ::= "a"', 'has no rule named root'],
    ['an undefined rule', 'root ::= other', 'does not define other'],
    ['a duplicate rule', 'root ::= "a"\nroot ::= "b"', 'defines root twice'],
    ['prose', 'please answer with yes', 'cannot be parsed'],
    ['an unclosed literal', 'root ::= "a', 'cannot be parsed'],
    ['an unclosed class', 'root ::= [a', 'cannot be parsed'],
    ['an unclosed parenthesis', 'root ::= ("a"', 'unclosed'],
    ['an empty class', 'root ::= []', 'an empty class'],
    ['a reversed range', 'root ::= [z-a]', 'in reverse order'],
    ['a reversed repetition', 'root ::= "a"{3,2}', 'below its minimum'],
    ['a lone surrogate', String.raw`root ::= "\uD800"`, 'an invalid character'],
    ['a code point beyond Unicode', String.raw`root ::= "\U00110000"`, 'an invalid character'],
    ['left recursion', 'root ::= root "a" | "a"', 'left recursion'],
    ['indirect left recursion', 'root ::= x\nx ::= y? root "a" | "b"\ny ::= "c"', 'left recursion'],
    ['a repetition of something that may be empty', 'root ::= ("a"*)*', 'may be empty'],
    ['a grammar without a finite text', 'root ::= "a" root', 'no finite text'],
    [
      'parses that double with each level',
      'root ::= "(" (a | b) ")"\na ::= "x" root "y" | "x"\nb ::= "x" root "z" | "x"',
      'start the same way',
    ],
    ['too many optional items', wide(30), 'optional items in a row'],
    [
      'too many options',
      `root ::= ${Array.from({ length: 200 }, (_, i) => JSON.stringify(String.fromCodePoint(0x400 + i))).join('|')}`,
      'possible next items',
    ],
    ['too many optional items in the middle', `root ::= "x" ${'"a"? '.repeat(30)} "y"`, 'optional items in a row'],
    [
      'too many optional items across rules',
      `root ::= ${'x '.repeat(6)}\nx ::= ${'"a"? '.repeat(6)}`,
      'optional items in a row',
    ],
    ['a grammar that is too long', `root ::= "${'a'.repeat(70_000)}"`, 'longer than'],
    ['deep nesting', `root ::= ${'('.repeat(100)}"a"${')'.repeat(100)}`, 'too deeply'],
    ['too many rules', Array.from({ length: 2000 }, (_, i) => `r${i} ::= "a"`).join('\n'), 'more than 1000 rules'],
    ['a count above the limit', 'root ::= "a"{0,999999}', 'counts to 999999'],
    [
      'a long chain of rules',
      `root ::= r0\n${Array.from({ length: 900 }, (_, i) => `r${i} ::= r${i + 1}`).join('\n')}\nr900 ::= "a"`,
      'too deeply',
    ],
  ])('%s', (_, grammar, reason) => {
    expect(() => rawToGrammar(grammar)).toThrow(HearthError);
    expect(() => rawToGrammar(grammar)).toThrow(reason);
  });

  test('random grammars result in a grammar or a HearthError', () => {
    const pieces = [
      'root',
      'x',
      '::=',
      '"a"',
      '[a-c]',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{3,}',
      '.',
      '\n',
      ' ',
      '\\',
      '#',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        try {
          expect(rawToGrammar(`root ::= ${parts.join('')}`)).toContain('root ::= ');
        } catch (error) {
          if (!(error instanceof HearthError)) throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });
});
