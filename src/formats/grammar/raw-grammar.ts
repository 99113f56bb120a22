// Makes a grammar from a caller safe to use: it is parsed, checked and written again, so that llama.cpp never reads the
// caller's text. GBNF, or Lark without recursion. See docs/grammar.md.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import { HearthError } from '../../base/errors.ts';
import { checkFirstSets } from './gbnf/check-first-sets.ts';
import { grammarError, parseGbnf } from './gbnf/parse-gbnf.ts';
import { writeGrammar } from './gbnf/write-grammar.ts';
import { larkToPattern } from './lark/lark-to-pattern.ts';
import { textToGrammar } from './text-grammar.ts';

export function rawToGrammar(source: string, effort: Effort = unlimitedEffort): string {
  if (isLark(source)) return textToGrammar({ pattern: `^(?:${larkToPattern(source)})$` }, effort);
  const { rules, root } = withGrammarErrors(() => parseGbnf(source, effort));
  checkFirstSets(rules);
  const grammar = withGrammarErrors(() => writeGrammar(rules, root, effort));
  if (grammar === undefined) throw grammarError('matches no finite text');
  return grammar;
}

// A rule of GBNF has ::= after its name, and one of Lark has a colon.
function isLark(source: string): boolean {
  return !source.includes('::=') && /^[?!]?start(?:\.\d+)?[ \t]*:/m.test(source);
}

// Schemas and raw grammars share these checks and their messages.
function withGrammarErrors<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const message = error.message.replace('the schema', 'the grammar').replace(/: make their first property.*/, '');
    throw new HearthError(error.code, message);
  }
}
