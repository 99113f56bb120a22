// Finds the regular expressions in source files, and texts that make a backtracking matcher slow.

import { readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundExpression {
  readonly line: number;
  readonly expression: RegExp;
}

export function expressionsIn(file: string): FoundExpression[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: FoundExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({
        line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
        expression: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)),
      });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Whether it repeats something without a bound. */
export function isUnbounded({ source }: RegExp): boolean {
  return /[*+]|\{\d+,\}/.test(source.replace(/\\.|\[[^\]]*\]/g, 'x'));
}

/**
 * Texts of this length that the expression matches in many ways, or almost: repetitions of characters from its source, and
 * of pairs of them, after its first literal characters and without them.
 */
export function hostileTexts(expression: RegExp, length: number): string[] {
  const characters = charactersOf(expression);
  const parts = [...characters, ...characters.flatMap((one) => characters.map((other) => one + other))];
  const start = /^\^?([^\\^$*+?()[\]{}|.]*)/.exec(expression.source)?.[1] ?? '';
  return [...new Set(['', start])].flatMap((before) =>
    parts.map((part) => `${before}${part.repeat(length / part.length)}\0`),
  );
}

const escapes: Readonly<Record<string, string>> = {
  s: ' \n',
  d: '1',
  w: 'a',
  S: 'a',
  D: 'a',
  W: ' ',
  n: '\n',
  t: '\t',
};
const maxCharacters = 6;

function charactersOf({ source }: RegExp): string[] {
  const found = source.matchAll(/\\(.)|([^\\^$*+?()[\]{}|.-])/gs);
  const characters = Array.from(found, ([, escaped, literal]) => literal ?? escapes[escaped ?? ''] ?? escaped ?? '');
  return [...new Set(['a', ' ', ...characters.join('')])].slice(0, maxCharacters);
}
