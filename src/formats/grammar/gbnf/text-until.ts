// Any text up to the first occurrence of an end text, and the end text: an automaton that knows how much of the end text
// it has just read, with one rule per state.

import { negate, unite } from '../pattern/code-points.ts';
import { characterClass, choiceOf, type Expression, empty, rule, sequence } from './expression.ts';
import type { Rules } from './rules.ts';

export function textUntil(rules: Rules, end: string): Expression {
  const characters = Array.from(end);
  const names = characters.map(() => rules.reserve());
  const alphabet = [...new Set(characters)];
  const others = negate(unite(alphabet.map(toRange)));
  names.forEach((name, state) => {
    // Characters with the same next state are one option: llama.cpp follows every option.
    const ranges = new Map([[0, others]]);
    for (const character of alphabet) {
      const next = advance(characters, state, character);
      ranges.set(next, unite([...(ranges.get(next) ?? []), toRange(character)]));
    }
    const options = [...ranges].map(([next, points]) =>
      sequence(characterClass(points), next === characters.length ? empty : rule(names[next] as string)),
    );
    rules.define(name, choiceOf(options));
  });
  return rule(names[0] as string);
}

/** How much of the end text has been read after one more character. */
function advance(end: readonly string[], state: number, character: string): number {
  for (let length = state + 1; length > 0; length--) {
    const read = [...end.slice(0, state), character];
    if (end.slice(0, length).join('') === read.slice(read.length - length).join('')) return length;
  }
  return 0;
}

function toRange(character: string): readonly [number, number] {
  const point = character.codePointAt(0) as number;
  return [point, point];
}
