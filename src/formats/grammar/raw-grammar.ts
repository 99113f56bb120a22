// A grammar that somebody wrote by hand, as one that is safe to follow: read, checked, and written anew, so that llama.cpp
// never sees a text from outside.

import { HearthError } from '../../base/errors.ts';
import { checkBeginnings } from './gbnf/check-beginnings.ts';
import { grammarError, parseGbnf } from './gbnf/parse-gbnf.ts';
import { writeGrammar } from './gbnf/write-grammar.ts';

export function rawToGrammar(source: string): string {
  const { rules, root } = inItsOwnWords(() => parseGbnf(source));
  checkBeginnings(rules);
  const grammar = inItsOwnWords(() => writeGrammar(rules, root));
  if (grammar === undefined) throw grammarError('has no text that would come to an end');
  return grammar;
}

// The checks are shared with schemas, and so are their sentences.
function inItsOwnWords<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const message = error.message.replace('the schema', 'the grammar').replace(/: let the first member.*/, '');
    throw new HearthError(error.code, message);
  }
}
