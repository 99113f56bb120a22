// Any text up to the first occurrence of one of several texts, and what follows it: an automaton that knows how much of
// these texts it has just read, with one rule per state.

import { type CodePoints, negate, singlePoint, unite } from '../pattern/code-points.ts';
import { characterClass, choiceOf, type Expression, empty, isNever, rule, sequence } from './expression.ts';
import type { Rules } from './rules.ts';

/** The text ends with the end text. */
export function textUntil(rules: Rules, end: string): Expression {
  return textUntilAny(rules, [{ text: end, next: empty }], { mayEnd: false, spend: () => {} });
}

interface Mark {
  /** Not empty. */
  readonly text: string;
  /** What follows the mark. Never: the mark does not occur. */
  readonly next: Expression;
}

interface TextOptions {
  /** The text can also end without a mark. */
  readonly mayEnd: boolean;
  /** Counts the work, which grows with the length of the marks times the number of different characters. */
  readonly spend: (steps: number) => void;
}

/** When marks end at the same place, the first counts. */
export function textUntilAny(rules: Rules, marks: readonly Mark[], { mayEnd, spend }: TextOptions): Expression {
  for (const { text } of marks) spend(text.length);
  const alphabet = [...new Set(marks.flatMap(({ text }) => Array.from(text)))];
  const others = negate(unite(...alphabet.map(pointsOf)));
  const states = createStates(marks, alphabet, spend).filter(({ mark }) => mark === undefined);
  const names = new Map(states.map((state) => [state, rules.reserve()]));
  const [root] = states as [State];
  for (const [state, name] of names) {
    const groups = new Map([[root, [others]]]);
    const ends = groupMoves(state, marks, groups);
    const options = [...groups].map(([next, sets]) =>
      sequence(characterClass(unite(...sets)), rule(names.get(next) as string)),
    );
    rules.define(name, choiceOf([...options, ...ends, ...(mayEnd ? [empty] : [])]));
  }
  return rule(names.get(root) as string);
}

/** Adds the characters to those with the same next state, which are one option: llama.cpp follows every option. Returns the
 * options that end with a mark. */
function groupMoves({ moves }: State, marks: readonly Mark[], groups: Map<State, CodePoints[]>): Expression[] {
  const ends: Expression[] = [];
  for (const [character, next] of moves) {
    const mark = next.mark === undefined ? undefined : marks[next.mark];
    if (mark !== undefined) {
      if (!isNever(mark.next)) ends.push(sequence(characterClass(pointsOf(character)), mark.next));
      continue;
    }
    const sets = groups.get(next);
    if (sets === undefined) groups.set(next, [pointsOf(character)]);
    else sets.push(pointsOf(character));
  }
  return ends;
}

/** The longest end of the text so far that a mark begins with. */
interface State {
  /** The states whose beginning has one character more. */
  readonly children: Map<string, State>;
  /** The next state for each character of the marks. */
  readonly moves: Map<string, State>;
  /** The next longest end of the text that a mark begins with. */
  shorter?: State;
  /** The index of the mark that has just been read. */
  mark?: number;
}

/** Breadth first: the moves of a state follow from those of a shorter one (Aho and Corasick). */
function createStates(marks: readonly Mark[], alphabet: readonly string[], spend: TextOptions['spend']): State[] {
  const root = createState();
  for (const [index, { text }] of marks.entries()) addText(root, text).mark ??= index;
  const states = [root];
  for (const state of states) {
    spend(alphabet.length);
    for (const character of alphabet) {
      const child = state.children.get(character);
      const shorter = state.shorter?.moves.get(character) ?? root;
      state.moves.set(character, child ?? shorter);
      if (child === undefined) continue;
      child.shorter = shorter;
      if (shorter.mark !== undefined) child.mark = Math.min(child.mark ?? shorter.mark, shorter.mark);
      states.push(child);
    }
  }
  return states;
}

/** The state after the text. */
function addText(root: State, text: string): State {
  let state = root;
  for (const character of text) {
    const child = state.children.get(character) ?? createState();
    state.children.set(character, child);
    state = child;
  }
  return state;
}

function createState(): State {
  return { children: new Map(), moves: new Map() };
}

function pointsOf(character: string): CodePoints {
  return singlePoint(character.codePointAt(0) as number);
}
