// The line editor: a state and a key give the next state, and sometimes an outcome. It knows no terminal.

import { boundaryAfter } from './graphemes.ts';
import type { Key } from './keys.ts';
import * as lines from './line.ts';
import { emptyLine, type Line } from './line.ts';
import { beginSearch, pressInSearch, type Search } from './search.ts';

export interface EditorState {
  readonly line: Line;
  /** What Ctrl-Y brings back. */
  readonly killed: string;
  /** Kills in a row collect in one text. */
  readonly killing: boolean;
  /** Which entry of the history is shown; its length is the line that is being written. */
  readonly place: number;
  /** Entries as they were left, edited, in this prompt; the new line too. */
  readonly drafts: ReadonlyMap<number, string>;
  readonly search?: Search;
}

export type Outcome =
  | { readonly type: 'submit'; readonly text: string }
  /** Ctrl-C; the text that is given up. */
  | { readonly type: 'interrupt'; readonly text: string }
  | { readonly type: 'leave' }
  | { readonly type: 'clear-screen' }
  | { readonly type: 'suspend' };

export interface EditorContext {
  /** Oldest first. */
  readonly history: readonly string[];
  /** Whether Enter adds a line instead of sending the text. */
  readonly isUnfinished: (text: string) => boolean;
}

export interface EditorStep {
  readonly state: EditorState;
  readonly outcome?: Outcome;
}

export function startEditor(history: readonly string[]): EditorState {
  return { line: emptyLine, killed: '', killing: false, place: history.length, drafts: new Map() };
}

export function pressKey(state: EditorState, key: Key, context: EditorContext): EditorStep {
  if (state.search !== undefined) {
    const answer = pressInSearch(state.search, key, context.history);
    if (answer.search !== undefined) return { state: { ...state, search: answer.search } };
    const { search: _, ...rest } = state;
    const found = answer.place === undefined ? rest : showEntry(rest, answer.place, context.history);
    return answer.again ? pressKey(found, key, context) : { state: found };
  }
  if (key.type !== 'press') return { state: edited(state, lines.insert(state.line, key.text)) };
  const whole = outcomes[key.name]?.(state, context);
  if (whole !== undefined) return whole;
  const kill = kills[key.name];
  if (kill !== undefined) return { state: killed(state, kill(state.line)) };
  const motion = edits[key.name];
  return { state: motion === undefined ? state : edited(state, motion(state.line, state)) };
}

function edited(state: EditorState, line: Line): EditorState {
  return { ...state, line, killing: false };
}

/** Keys that change the line or move within it. */
const edits: Readonly<Record<string, (line: Line, state: EditorState) => Line>> = {
  left: lines.left,
  'ctrl-b': lines.left,
  right: lines.right,
  'ctrl-f': lines.right,
  home: (line) => lines.toLine(line.text, lines.lineStart(line)),
  'ctrl-a': (line) => lines.toLine(line.text, lines.lineStart(line)),
  end: (line) => lines.toLine(line.text, lines.lineEnd(line)),
  'ctrl-e': (line) => lines.toLine(line.text, lines.lineEnd(line)),
  'ctrl-home': (line) => lines.toLine(line.text, 0),
  'alt-<': (line) => lines.toLine(line.text, 0),
  'ctrl-end': (line) => lines.toLine(line.text),
  'alt->': (line) => lines.toLine(line.text),
  'ctrl-left': (line) => lines.toLine(line.text, lines.wordStart(line)),
  'alt-left': (line) => lines.toLine(line.text, lines.wordStart(line)),
  'alt-b': (line) => lines.toLine(line.text, lines.wordStart(line)),
  'ctrl-right': (line) => lines.toLine(line.text, lines.wordEnd(line)),
  'alt-right': (line) => lines.toLine(line.text, lines.wordEnd(line)),
  'alt-f': (line) => lines.toLine(line.text, lines.wordEnd(line)),
  backspace: (line) => lines.remove(line, lines.left(line).cursor, line.cursor),
  delete: (line) => lines.remove(line, line.cursor, boundaryAfter(line.text, line.cursor)),
  'ctrl-t': lines.transpose,
  'ctrl-y': (line, { killed: text }) => lines.insert(line, text),
  newline: (line) => lines.insert(line, '\n'),
  'alt-enter': (line) => lines.insert(line, '\n'),
};

/** Keys that cut something out to be brought back: from where to where. */
const kills: Readonly<Record<string, (line: Line) => readonly [from: number, to: number]>> = {
  'ctrl-k': (line) => [line.cursor, atEnd(line) ? boundaryAfter(line.text, line.cursor) : lines.lineEnd(line)],
  'ctrl-u': (line) => [lines.lineStart(line), line.cursor],
  'ctrl-w': (line) => [lines.blankWordStart(line), line.cursor],
  'alt-backspace': (line) => [lines.wordStart(line), line.cursor],
  'ctrl-backspace': (line) => [lines.wordStart(line), line.cursor],
  'alt-d': (line) => [line.cursor, lines.wordEnd(line)],
  'ctrl-delete': (line) => [line.cursor, lines.wordEnd(line)],
};

// At the end of a line Ctrl-K takes its break, so that pressing it again goes on.
const atEnd = (line: Line): boolean => lines.lineEnd(line) === line.cursor;

function killed(state: EditorState, [from, to]: readonly [number, number]): EditorState {
  if (from === to) return state;
  const cut = state.line.text.slice(from, to);
  const before = state.killing ? state.killed : '';
  const text = from < state.line.cursor ? cut + before : before + cut;
  return { ...state, line: lines.remove(state.line, from, to), killed: text, killing: true };
}

const outcomes: Readonly<Record<string, (state: EditorState, context: EditorContext) => EditorStep | undefined>> = {
  enter(state, { isUnfinished }) {
    const { text } = state.line;
    if (isUnfinished(text)) return { state: edited(state, lines.insert(state.line, '\n')) };
    return { state, outcome: { type: 'submit', text } };
  },
  'ctrl-c': (state) => ({ state, outcome: { type: 'interrupt', text: state.line.text } }),
  'ctrl-d'(state) {
    if (state.line.text === '') return { state, outcome: { type: 'leave' } };
    const { line } = state;
    return { state: edited(state, lines.remove(line, line.cursor, boundaryAfter(line.text, line.cursor))) };
  },
  'ctrl-l': (state) => ({ state, outcome: { type: 'clear-screen' } }),
  'ctrl-z': (state) => ({ state, outcome: { type: 'suspend' } }),
  'ctrl-r': (state) => ({ state: { ...state, killing: false, search: beginSearch(state.place) } }),
  up: (state, context) => ({ state: moveVertically(state, -1, context) }),
  down: (state, context) => ({ state: moveVertically(state, 1, context) }),
  'ctrl-p': (state, { history }) => ({ state: showEntry(state, state.place - 1, history) }),
  'ctrl-n': (state, { history }) => ({ state: showEntry(state, state.place + 1, history) }),
};

/** Within a text of several lines first; past its first or last line, through the history. */
function moveVertically(state: EditorState, direction: -1 | 1, { history }: EditorContext): EditorState {
  const line = lines.vertical(state.line, direction);
  if (line !== undefined) return edited(state, line);
  return showEntry(state, state.place + direction, history);
}

function showEntry(state: EditorState, place: number, history: readonly string[]): EditorState {
  if (place < 0 || place > history.length || place === state.place) return state;
  const drafts = new Map(state.drafts).set(state.place, state.line.text);
  const text = drafts.get(place) ?? history[place] ?? '';
  return { ...edited(state, lines.toLine(text)), place, drafts };
}
