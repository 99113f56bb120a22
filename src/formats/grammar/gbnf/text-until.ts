// Any text up to the first occurrence of one of several texts, and what follows it: an automaton that knows how much of
// these texts it has just read, with one rule per state.

import { type CodePoints, negate, singlePoint, unite } from '../pattern/code-points.ts';
import { characterClass, choiceOf, type Expression, empty, isNever, rule, sequence } from './expression.ts';
import type { Rules } from './rules.ts';

/** The text ends with the end text. */
export function textUntil(rules: Rules, end: string): Expression {
  return textUntilAny(rules, [{ text: end, next: empty }], false);
}

interface Mark {
  readonly text: string;
  /** What follows the mark. Never: the mark does not occur. */
  readonly next: Expression;
}

/** `mayEnd`: the text can also end without a mark. No mark is empty. Of those that end at the same place, the first counts. */
export function textUntilAny(rules: Rules, marks: readonly Mark[], mayEnd: boolean): Expression {
  const alphabet = [...new Set(marks.flatMap(({ text }) => Array.from(text)))];
  const others = negate(unite(...alphabet.map(pointsOf)));
  // A state is the longest end of the text so far that a mark begins with.
  const begins = new Set(['', ...marks.flatMap(({ text }) => beginsOf(text))]);
  const names = new Map([...begins].map((begin) => [begin, rules.reserve()]));
  for (const [state, name] of names) {
    // Characters with the same next state are one option: llama.cpp follows every option.
    const moves = new Map<string, CodePoints>([['', others]]);
    const ends: Expression[] = [];
    for (const character of alphabet) {
      const read = state + character;
      const mark = marks.find(({ text }) => read.endsWith(text));
      if (mark !== undefined) {
        if (!isNever(mark.next)) ends.push(sequence(characterClass(pointsOf(character)), mark.next));
        continue;
      }
      const next = longestEnd(read, begins);
      moves.set(next, unite(moves.get(next) ?? [], pointsOf(character)));
    }
    const options = [...moves].map(([next, points]) =>
      sequence(characterClass(points), rule(names.get(next) as string)),
    );
    rules.define(name, choiceOf([...options, ...ends, ...(mayEnd ? [empty] : [])]));
  }
  return rule(names.get('') as string);
}

/** All but the text itself. */
function beginsOf(text: string): string[] {
  const characters = Array.from(text);
  return characters.map((_, length) => characters.slice(0, length).join(''));
}

function longestEnd(text: string, known: ReadonlySet<string>): string {
  const characters = Array.from(text);
  for (let from = 0; from < characters.length; from++) {
    const end = characters.slice(from).join('');
    if (known.has(end)) return end;
  }
  return '';
}

function pointsOf(character: string): CodePoints {
  return singlePoint(character.codePointAt(0) as number);
}
