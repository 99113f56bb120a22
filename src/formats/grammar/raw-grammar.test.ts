import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { HearthError } from '../../base/errors.ts';
import { rawToGrammar } from './raw-grammar.ts';

const matches = (grammar: string, text: string): boolean => parseGbnf(rawToGrammar(grammar)).matches(text);

describe('a grammar means what it meant', () => {
  test.each([
    ['texts and choices', 'root ::= "yes" | "no"', ['yes', 'no'], ['', 'maybe', 'yesno']],
    [
      'repetitions',
      'root ::= "a"* "b"+ "c"? [d-f]{2} "g"{1,3} "h"{2,}',
      ['bddghh', 'aabbcefggghhh'],
      ['bddgh', 'ddghh'],
    ],
    ['classes', 'root ::= [^a-c\\]]+', ['xyz', 'é'], ['a', ']', '']],
    ['anything', 'root ::= . .', ['ab', '漢é'], ['a', 'abc']],
    ['escapes', String.raw`root ::= "\n\t\"\\\x41\u00e9\U0001F98A" [\]\\^-]`, ['\n\t"\\Aé🦊]', '\n\t"\\Aé🦊-'], ['x']],
    ['groups and rules', 'root ::= item (", " item)*\nitem ::= [a-z]+ # a word', ['fox', 'fox, hen'], ['fox,hen']],
    ['recursion', 'root ::= "(" root? ")"', ['()', '((()))'], ['(()', ')(']],
    ['an empty alternative', 'root ::= "a" ( "b" | )', ['a', 'ab'], ['b']],
    ['names that JSON has too', 'root ::= value ws\nvalue ::= "v"\nws ::= "w"', ['vw'], ['v', '{}']],
    ['line breaks anywhere', 'root ::=\n  "a"\n  | "b"\n\n\n', ['a', 'b'], ['ab']],
    [
      'numbers',
      'root ::= expr\nexpr ::= term ([-+*/] term)*\nterm ::= [0-9]+ | "(" expr ")"',
      ['1+(2*3)'],
      ['1+', '()'],
    ],
  ])('%s', (_, grammar, good, bad) => {
    for (const text of good) expect([text, matches(grammar, text)]).toEqual([text, true]);
    for (const text of bad) expect([text, matches(grammar, text)]).toEqual([text, false]);
  });
});

describe('what is refused, and why', () => {
  const wide = (count: number) => `root ::= ${'"a"? '.repeat(count)}`;
  test.each([
    ['nothing', '', 'has no rule named root'],
    ['another name', 'start ::= "a"', 'has no rule named root'],
    ['a rule that is missing', 'root ::= other', 'does not define other'],
    ['a rule twice', 'root ::= "a"\nroot ::= "b"', 'defines root twice'],
    ['prose', 'please answer with yes', 'cannot be read'],
    ['an open text', 'root ::= "a', 'cannot be read'],
    ['an open class', 'root ::= [a', 'cannot be read'],
    ['an open parenthesis', 'root ::= ("a"', 'not closed'],
    ['an empty class', 'root ::= []', 'without a character'],
    ['a backward range', 'root ::= [z-a]', 'backwards'],
    ['a backward repetition', 'root ::= "a"{3,2}', 'ends before it begins'],
    ['half a pair', String.raw`root ::= "\uD800"`, 'a character that is none'],
    ['beyond Unicode', String.raw`root ::= "\U00110000"`, 'a character that is none'],
    ['left recursion', 'root ::= root "a" | "a"', 'left recursion'],
    ['left recursion by a detour', 'root ::= x\nx ::= y? root "a" | "b"\ny ::= "c"', 'left recursion'],
    ['a repeated nothing', 'root ::= ("a"*)*', 'may be empty'],
    ['no end', 'root ::= "a" root', 'come to an end'],
    [
      'readings that double',
      'root ::= "(" (a | b) ")"\na ::= "x" root "y" | "x"\nb ::= "x" root "z" | "x"',
      'begin alike',
    ],
    ['too much that can be left out', wide(30), 'may be left out'],
    [
      'too much that can come next',
      `root ::= ${Array.from({ length: 200 }, (_, i) => JSON.stringify(String.fromCodePoint(0x400 + i))).join('|')}`,
      'can come next',
    ],
    ['too much of it in the middle', `root ::= "x" ${'"a"? '.repeat(30)} "y"`, 'may be left out'],
    ['too much of it in rules', `root ::= ${'x '.repeat(6)}\nx ::= ${'"a"? '.repeat(6)}`, 'may be left out'],
    ['too long', `root ::= "${'a'.repeat(70_000)}"`, 'longer than'],
    ['too deep', `root ::= ${'('.repeat(100)}"a"${')'.repeat(100)}`, 'too deeply'],
    ['too many rules', Array.from({ length: 2000 }, (_, i) => `r${i} ::= "a"`).join('\n'), 'more than 1000 rules'],
    ['a number too high', 'root ::= "a"{0,999999}', 'counts to 999999'],
    [
      'a long chain',
      `root ::= r0\n${Array.from({ length: 900 }, (_, i) => `r${i} ::= r${i + 1}`).join('\n')}\nr900 ::= "a"`,
      'too deeply',
    ],
  ])('%s', (_, grammar, reason) => {
    expect(() => rawToGrammar(grammar)).toThrow(HearthError);
    expect(() => rawToGrammar(grammar)).toThrow(reason);
  });

  test('whatever is sent, the answer is a grammar or one of our own errors', () => {
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
