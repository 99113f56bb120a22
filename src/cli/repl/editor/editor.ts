// The line editor: a pure function from a state and a key to the next state and an optional outcome.

import { boundaryAfter } from './graphemes.ts';
import type { Key } from './keys.ts';
import * as lines from './line.ts';
import { emptyLine, type Line } from './line.ts';
import { beginSearch, pressInSearch, type Search } from './search.ts';

export interface EditorState {
  readonly line: Line;
  /** The text that Ctrl-Y inserts. */
  readonly killed: string;
  /** Consecutive kills are joined. */
  readonly killing: boolean;
  /** Index of the history entry that is shown; the length of the history is the new line. */
  readonly entry: number;
  /** Edited entries, including the new line. */
  readonly drafts: ReadonlyMap<number, string>;
  readonly search?: Search;
}

export type EditorOutcome =
  | { readonly type: 'submit'; readonly text: string }
  /** Ctrl-C, with the discarded text. */
  | { readonly type: 'interrupt'; readonly text: string }
  | { readonly type: 'exit' }
  | { readonly type: 'clear-screen' }
  | { readonly type: 'suspend' }
  /** Ctrl-G: edit the text in an external editor. */
  | { readonly type: 'edit' }
  /** Tab: complete the word before the cursor. */
  | { readonly type: 'complete' };

interface EditorContext {
  /** Oldest first. */
  readonly history: readonly string[];
  /** Whether Enter inserts a line break instead of submitting the text. */
  readonly isUnfinished: (text: string) => boolean;
}

interface EditorStep {
  readonly state: EditorState;
  readonly outcome?: EditorOutcome;
}

export function startEditor(history: readonly string[]): EditorState {
  return { line: emptyLine, killed: '', killing: false, entry: history.length, drafts: new Map() };
}

export function pressKey(state: EditorState, key: Key, context: EditorContext): EditorStep {
  if (state.search !== undefined) {
    const step = pressInSearch(state.search, key, context.history);
    if (step.search !== undefined) return { state: { ...state, search: step.search } };
    const { search: _, ...rest } = state;
    const found = step.entry === undefined ? rest : showEntry(rest, step.entry, context.history);
    return step.handleKey ? pressKey(found, key, context) : { state: found };
  }
  if (key.type !== 'press') return { state: edited(state, lines.insert(state.line, key.text)) };
  const step = outcomes[key.name]?.(state, context);
  if (step !== undefined) return step;
  const kill = kills[key.name];
  if (kill !== undefined) return { state: killed(state, kill(state.line)) };
  const motion = edits[key.name];
  return { state: motion === undefined ? state : edited(state, motion(state.line, state)) };
}

/** The state after a change of the line that is not a cut. */
export function edited(state: EditorState, line: Line): EditorState {
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

/** Keys that cut a range of the text. */
const kills: Readonly<Record<string, (line: Line) => readonly [from: number, to: number]>> = {
  'ctrl-k': (line) => [line.cursor, atEnd(line) ? boundaryAfter(line.text, line.cursor) : lines.lineEnd(line)],
  'ctrl-u': (line) => [lines.lineStart(line), line.cursor],
  'ctrl-w': (line) => [lines.spaceWordStart(line), line.cursor],
  'alt-backspace': (line) => [lines.wordStart(line), line.cursor],
  'ctrl-backspace': (line) => [lines.wordStart(line), line.cursor],
  'alt-d': (line) => [line.cursor, lines.wordEnd(line)],
  'ctrl-delete': (line) => [line.cursor, lines.wordEnd(line)],
};

// At the end of a line, Ctrl-K cuts the line break.
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
    if (state.line.text === '') return { state, outcome: { type: 'exit' } };
    const { line } = state;
    return { state: edited(state, lines.remove(line, line.cursor, boundaryAfter(line.text, line.cursor))) };
  },
  'ctrl-l': (state) => ({ state, outcome: { type: 'clear-screen' } }),
  'ctrl-z': (state) => ({ state, outcome: { type: 'suspend' } }),
  'ctrl-g': (state) => ({ state, outcome: { type: 'edit' } }),
  tab: (state) => ({ state, outcome: { type: 'complete' } }),
  'ctrl-r': (state) => ({ state: { ...state, killing: false, search: beginSearch(state.entry) } }),
  up: (state, context) => ({ state: moveVertically(state, -1, context) }),
  down: (state, context) => ({ state: moveVertically(state, 1, context) }),
  'ctrl-p': (state, { history }) => ({ state: showEntry(state, state.entry - 1, history) }),
  'ctrl-n': (state, { history }) => ({ state: showEntry(state, state.entry + 1, history) }),
};

/** Moves within the lines of the text, and through the history at the first or last line. */
function moveVertically(state: EditorState, direction: -1 | 1, { history }: EditorContext): EditorState {
  const line = lines.vertical(state.line, direction);
  if (line !== undefined) return edited(state, line);
  return showEntry(state, state.entry + direction, history);
}

function showEntry(state: EditorState, entry: number, history: readonly string[]): EditorState {
  if (entry < 0 || entry > history.length || entry === state.entry) return state;
  const drafts = new Map(state.drafts).set(state.entry, state.line.text);
  const text = drafts.get(entry) ?? history[entry] ?? '';
  return { ...edited(state, lines.toLine(text)), entry, drafts };
}
