// A GBNF implementation for tests: samples texts from a grammar and matches texts. It is independent of the code that
// writes grammars.

import { createMatcher } from './gbnf-matcher.ts';
import { type GbnfNode, readGbnf } from './gbnf-reader.ts';
import { createGbnfSampler, measureDepths } from './gbnf-sampler.ts';

export interface Gbnf {
  /** A random text of the grammar; `random` returns numbers from 0 to below 1. */
  sample(random: () => number): string;
  matches(text: string): boolean;
  readonly ruleCount: number;
}

export function parseGbnf(source: string): Gbnf {
  const rules = new Map<string, GbnfNode>();
  for (const line of source.split('\n').filter((one) => one.trim() !== '')) {
    const [, name, body] = /^([a-zA-Z][a-zA-Z0-9-]*)\s*::=(.*)$/.exec(line) ?? [];
    if (name === undefined || body === undefined) throw new Error(`not a rule: ${line.slice(0, 200)}`);
    if (rules.has(name)) throw new Error(`duplicate rule ${name}`);
    rules.set(name, readGbnf(body));
  }
  const find = (name: string): GbnfNode => {
    const body = rules.get(name);
    if (!body) throw new Error(`undefined rule ${name}`);
    return body;
  };
  for (const body of rules.values()) for (const name of referencesIn(body)) find(name);
  const depths = measureDepths(rules);
  return {
    ruleCount: rules.size,
    sample: (random) => String.fromCodePoint(...createGbnfSampler(find, depths, random)(find('root'), 0)),
    matches: (text) => createMatcher(find)(Array.from(text, (one) => one.codePointAt(0) as number)),
  };
}

function referencesIn(node: GbnfNode): string[] {
  switch (node.kind) {
    case 'reference':
      return [node.name];
    case 'sequence':
      return node.items.flatMap(referencesIn);
    case 'choice':
      return node.options.flatMap(referencesIn);
    case 'repeat':
      return referencesIn(node.item);
    default:
      return [];
  }
}
