// Rules to GBNF text: what can never come to an end is cut away, what nothing refers to is left out, and what llama.cpp
// would choke on is refused.

import { isJsonRule, type JsonRule, writeJsonRules } from '../json.ts';
import { limits } from '../limits.ts';
import type { CodePoints } from '../pattern/code-points.ts';
import { schemaError } from '../schema-error.ts';
import { checkAmbiguity } from './check-ambiguity.ts';
import { checkSize } from './check-size.ts';
import { choice, type Expression, isNever, never, nothing, repeat, rule, sequence } from './expression.ts';
import { referencesOf } from './references.ts';
import { splitRepetitions } from './split-repetitions.ts';

export type RuleMap = ReadonlyMap<string, Expression>;

/** The grammar whose root is `root`, or undefined when there is no answer that it would let end. */
export function writeGrammar(rules: RuleMap, root: Expression): string | undefined {
  const all: RuleMap = new Map([...rules, ['root', root]]);
  const ending = findEnding(all);
  if (!ending.has('root')) return undefined;
  const isWhole = ending.size === all.size;
  const cutRules = isWhole ? all : new Map([...ending].map((name) => [name, cut(all.get(name) as Expression, ending)]));
  const kept = splitRepetitions(reachable(cutRules));
  checkSize(kept);
  checkAmbiguity(kept);
  return write(kept);
}

/** Names of the rules that have a finite text. */
function findEnding(rules: RuleMap): Set<string> {
  const users = new Map<string, string[]>();
  for (const [name, body] of rules)
    for (const used of referencesOf(body)) {
      const list = users.get(used);
      if (list) list.push(name);
      else users.set(used, [name]);
    }
  const ending = new Set<string>();
  const waiting = [...rules.keys()].reverse();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (ending.has(name) || !canEnd(rules.get(name) as Expression, ending)) continue;
    ending.add(name);
    waiting.push(...(users.get(name) ?? []));
  }
  return ending;
}

function canEnd(expression: Expression, ending: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'rule':
      return isJsonRule(expression.name) || ending.has(expression.name);
    case 'choice':
      return expression.options.some((option) => canEnd(option, ending));
    case 'sequence':
      return expression.items.every((item) => canEnd(item, ending));
    case 'repeat':
      return expression.least === 0 || canEnd(expression.item, ending);
    default:
      return true;
  }
}

/** Without the options that need a rule that has no end. */
function cut(expression: Expression, ending: ReadonlySet<string>): Expression {
  switch (expression.kind) {
    case 'rule':
      return isJsonRule(expression.name) || ending.has(expression.name) ? expression : never;
    case 'choice':
      return choice(expression.options.map((option) => cut(option, ending)).filter((option) => !isNever(option)));
    case 'sequence': {
      const items = expression.items.map((item) => cut(item, ending));
      return items.some(isNever) ? never : sequence(...items);
    }
    case 'repeat': {
      const item = cut(expression.item, ending);
      if (isNever(item)) return expression.least === 0 ? nothing : never;
      return repeat(item, expression.least, expression.most);
    }
    default:
      return expression;
  }
}

/** What the root needs, root first; rules that are only another name for a rule are gone. */
function reachable(rules: RuleMap): RuleMap {
  const resolve = (name: string): string => {
    const body = rules.get(name);
    return body?.kind === 'rule' && name !== 'root' ? resolve(body.name) : name;
  };
  const found = new Map<string, Expression>();
  const waiting = ['root'];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const body = rules.get(name);
    if (!body || found.has(name)) continue;
    const renamed = renameRules(body, resolve);
    found.set(name, renamed);
    waiting.push(...referencesOf(renamed).reverse());
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
  const lines = [...rules].map(([name, body]) => `${name} ::= ${show(body, 'rule')}\n`);
  const borrowed = new Set<JsonRule>([...rules.values()].flatMap(referencesOf).filter(isJsonRule));
  const result = lines.join('') + writeJsonRules(borrowed);
  if (result.length > limits.grammarLength)
    throw schemaError('', `gives a grammar of more than ${limits.grammarLength} characters`);
  return result;
}

function show(expression: Expression, within: 'rule' | 'sequence' | 'repeat'): string {
  const group = (content: string, needed: boolean): string => (needed ? `( ${content} )` : content);
  switch (expression.kind) {
    case 'text':
      return group(showText(expression.text), within === 'repeat' && expression.text.length > 1);
    case 'class':
      return `[${showClass(expression.points)}]`;
    case 'rule':
      return expression.name;
    case 'sequence': {
      const content = expression.items.map((item) => show(item, 'sequence')).join(' ');
      return group(content === '' ? '""' : content, within === 'repeat');
    }
    case 'choice':
      return group(expression.options.map((option) => show(option, 'sequence')).join(' | '), within !== 'rule');
    case 'repeat':
      return group(show(expression.item, 'repeat') + showTimes(expression.least, expression.most), within === 'repeat');
  }
}

function showTimes(least: number, most: number): string {
  if (most === 1) return '?';
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

function showClass(points: CodePoints): string {
  return points
    .map(([from, to]) => (from === to ? showCharacter(from) : `${showCharacter(from)}-${showCharacter(to)}`))
    .join('');
}

function showText(content: string): string {
  const quoted = Array.from(content, (one) =>
    /^[[\]^-]$/.test(one) ? one : showCharacter(one.codePointAt(0) as number),
  );
  return `"${quoted.join('').replaceAll('\\x22', '\\"').replaceAll('\\x5C', '\\\\')}"`;
}

/** As it may stand in a text and in a class alike. */
function showCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/^[\w !#$%&'()*+,./:;<=>?@`{|}~]$/.test(character)) return character;
  const hex = codePoint.toString(16).toUpperCase();
  if (codePoint < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return codePoint > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
