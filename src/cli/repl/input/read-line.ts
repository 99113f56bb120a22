// One prompt: reads keys and redraws the line until it is submitted or discarded.

import { type Screen, styled } from '../../terminal.ts';
import { type EditorState, type Outcome, pressKey, startEditor } from '../editor/editor.ts';
import type { Key } from '../editor/keys.ts';
import { type LineLayout, layOut } from '../editor/layout.ts';
import { toLine } from '../editor/line.ts';
import { createLineView } from '../editor/line-view.ts';
import type { Keyboard } from './keyboard.ts';
import { isUnfinished } from './multi-line.ts';

export type LineRead = Extract<Outcome, { type: 'submit' | 'interrupt' | 'exit' }>;

export interface LinePrompt {
  readonly line: Promise<LineRead>;
  /** Shows a text above the edited line. */
  notice(text: string): void;
}

export interface PromptOptions {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly history: readonly string[];
  /** Ctrl-Z: returns the terminal to the shell. Resolves when the process continues. */
  readonly suspend: () => Promise<void>;
}

const placeholder = 'Send a message (/? for help)';
const multiLinePlaceholder = 'Use """ to end multi-line input';

export function openPrompt({ keyboard, screen, history, suspend }: PromptOptions): LinePrompt {
  const view = createLineView({
    write: screen.write,
    size: () => ({ columns: screen.width(), rows: screen.height() }),
    dim: (text) => styled(screen, 'dim', text),
  });
  let state = startEditor(history);
  let finish: (line: LineRead) => void = () => {};
  const line = new Promise<LineRead>((resolve) => {
    finish = resolve;
  });

  const draw = (): void => view.draw({ layout: layoutOf(state, history, screen.width()), hint: hintOf(state) });
  const stopListening = screen.onResize(() => {
    view.resized();
    draw();
  });

  function end(outcome: LineRead): void {
    release();
    stopListening();
    view.draw({ layout: layoutOf(state, history, screen.width()) });
    view.finish();
    finish(outcome);
  }

  function handleKeys(keys: readonly Key[]): readonly Key[] {
    for (const [index, key] of keys.entries()) {
      const step = pressKey(state, key, { history, isUnfinished });
      ({ state } = step);
      const outcome = isHangup(key) ? { type: 'exit' as const } : step.outcome;
      if (outcome === undefined) continue;
      if (outcome.type === 'clear-screen') view.clearScreen();
      else if (outcome.type === 'suspend') return suspendAt(keys.slice(index + 1));
      else {
        end(outcome);
        return keys.slice(index + 1);
      }
    }
    draw();
    return [];
  }

  function suspendAt(rest: readonly Key[]): readonly Key[] {
    draw();
    view.finish();
    void suspend().then(draw);
    return rest;
  }

  draw();
  const release = keyboard.attach(handleKeys);
  return {
    line,
    notice(text) {
      view.erase();
      screen.write(text);
      draw();
    },
  };
}

const isHangup = (key: Key): boolean => key.type === 'press' && key.name === 'hangup';

function layoutOf(state: EditorState, history: readonly string[], columns: number): LineLayout {
  const { search } = state;
  if (search === undefined) return layOut({ line: state.line, prompt: '>>> ', continuation: '... ', columns });
  const found = search.found === undefined ? '' : (history[search.found] ?? '');
  const line = toLine(`'${search.query}': ${found}`, search.query.length + 1);
  return layOut({ line, prompt: '(search) ', continuation: '... ', columns });
}

function hintOf({ line, search }: EditorState): string {
  if (search !== undefined) return '';
  if (line.text === '') return placeholder;
  return isUnfinished(line.text) && line.text.endsWith('\n') ? multiLinePlaceholder : '';
}
