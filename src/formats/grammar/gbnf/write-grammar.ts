// Writes rules as GBNF text. Rules that match no finite text and rules that are not used are removed. Grammars that
// llama.cpp cannot process in bounded time are refused.

import type { Effort } from '../../../base/effort.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import type { CodePoints } from '../pattern/code-points.ts';
import { checkAmbiguity } from './check-ambiguity.ts';
import { checkGrammarSize } from './check-grammar-size.ts';
import {
  choiceOf,
  countNodes,
  type Expression,
  empty,
  isNever,
  never,
  referencesOf,
  repeat,
  rule,
  sequence,
} from './expression.ts';
import { isJsonRule, type JsonRule, writeJsonRules } from './json.ts';
import type { Exclusions } from './rules.ts';
import { splitRepetitions } from './split-repetitions.ts';

type RuleMap = ReadonlyMap<string, Expression>;

/** The grammar with the root `root`, or undefined if it matches no finite text. */
export function writeGrammar(
  rules: RuleMap,
  root: Expression,
  effort: Effort,
  exclusions: Exclusions = new Map(),
): string | undefined {
  for (const body of rules.values()) effort.spend(countNodes(body));
  const all: RuleMap = new Map([...rules, ['root', root]]);
  const terminating = findTerminating(all);
  if (!terminating.has('root')) return undefined;
  const allTerminate = terminating.size === all.size;
  const pruned = allTerminate
    ? all
    : new Map([...terminating].map((name) => [name, prune(all.get(name) as Expression, terminating)]));
  const kept = splitRepetitions(reachable(pruned));
  checkGrammarSize(kept);
  checkAmbiguity(kept, exclusions);
  return write(kept);
}

/** The names of the rules that match a finite text. */
function findTerminating(rules: RuleMap): Set<string> {
  const users = new Map<string, string[]>();
  for (const [name, body] of rules)
    for (const used of referencesOf(body)) {
      const list = users.get(used);
      if (list) list.push(name);
      else users.set(used, [name]);
    }
  const terminating = new Set<string>();
  const pending = [...rules.keys()].reverse();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (terminating.has(name) || !terminates(rules.get(name) as Expression, terminating)) continue;
    terminating.add(name);
    pending.push(...(users.get(name) ?? []));
  }
  return terminating;
}

function terminates(expression: Expression, terminating: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'rule':
      return isJsonRule(expression.name) || terminating.has(expression.name);
    case 'choice':
      return expression.options.some((option) => terminates(option, terminating));
    case 'sequence':
      return expression.items.every((item) => terminates(item, terminating));
    case 'repeat':
      return expression.min === 0 || terminates(expression.item, terminating);
    default:
      return true;
  }
}

/** Removes the options that need a rule without a finite text. */
function prune(expression: Expression, terminating: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return isJsonRule(expression.name) || terminating.has(expression.name) ? expression : never;
    case 'choice':
      return choiceOf(
        expression.options.map((option) => prune(option, terminating)).filter((option) => !isNever(option)),
      );
    case 'sequence': {
      const items = expression.items.map((item) => prune(item, terminating));
      return items.some(isNever) ? never : sequence(...items);
    }
    case 'repeat': {
      const item = prune(expression.item, terminating);
      if (isNever(item)) return expression.min === 0 ? empty : never;
      return repeat(item, expression.min, expression.max);
    }
    default:
      return expression;
  }
}

/** The rules that the root needs, root first. Rules that only refer to another rule are replaced by it. */
function reachable(rules: RuleMap): RuleMap {
  const resolve = (name: string): string => {
    const body = rules.get(name);
    return body?.kind === 'rule' && name !== 'root' ? resolve(body.name) : name;
  };
  const found = new Map<string, Expression>();
  const pending = ['root'];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const body = rules.get(name);
    if (!body || found.has(name)) continue;
    const renamed = renameRules(body, resolve);
    found.set(name, renamed);
    pending.push(...referencesOf(renamed).reverse());
  }
  return found;
}

function renameRules(expression: Expression, rename: (name: string) => string): Expression {
  const within = (inner: Expression): Expression => renameRules(inner, rename);
  switch (expression.kind) {
    case 'rule':
      return rule(rename(expression.name));
    case 'choice':
      return { kind: 'choice', options: expression.options.map(within) };
    case 'sequence':
      return { kind: 'sequence', items: expression.items.map(within) };
    case 'repeat':
      return { ...expression, item: within(expression.item) };
    default:
      return expression;
  }
}

function write(rules: RuleMap): string {
  const lines = [...rules].map(([name, body]) => `${name} ::= ${formatExpression(body, 'rule')}\n`);
  const jsonRules = new Set<JsonRule>([...rules.values()].flatMap(referencesOf).filter(isJsonRule));
  const result = lines.join('') + writeJsonRules(jsonRules);
  if (result.length > grammarLimits.grammarLength)
    throw schemaError('', `results in a grammar of more than ${grammarLimits.grammarLength} characters`);
  return result;
}

function formatExpression(expression: Expression, within: 'rule' | 'sequence' | 'repeat'): string {
  const group = (content: string, needed: boolean): string => (needed ? `( ${content} )` : content);
  switch (expression.kind) {
    case 'literal':
      return group(formatLiteral(expression.text), within === 'repeat' && expression.text.length > 1);
    case 'class':
      return `[${formatClass(expression.points)}]`;
    case 'rule':
      return expression.name;
    case 'sequence': {
      const content = expression.items.map((item) => formatExpression(item, 'sequence')).join(' ');
      return group(content === '' ? '""' : content, within === 'repeat');
    }
    case 'choice':
      return group(
        expression.options.map((option) => formatExpression(option, 'sequence')).join(' | '),
        within !== 'rule',
      );
    case 'repeat':
      return group(
        formatExpression(expression.item, 'repeat') + formatCount(expression.min, expression.max),
        within === 'repeat',
      );
  }
}

function formatCount(min: number, max: number): string {
  if (max === 1) return '?';
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function formatClass(points: CodePoints): string {
  return points
    .map(([from, to]) => (from === to ? formatCharacter(from) : `${formatCharacter(from)}-${formatCharacter(to)}`))
    .join('');
}

function formatLiteral(content: string): string {
  const quoted = Array.from(content, (one) =>
    /^[[\]^-]$/.test(one) ? one : formatCharacter(one.codePointAt(0) as number),
  );
  return `"${quoted.join('').replaceAll('\\x22', '\\"').replaceAll('\\x5C', '\\\\')}"`;
}

/** Escaped for literals and for classes. */
function formatCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/^[\w !#$%&'()*+,./:;<=>?@`{|}~]$/.test(character)) return character;
  const hex = codePoint.toString(16).toUpperCase();
  if (codePoint < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return codePoint > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
