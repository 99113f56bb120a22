// One prompt: reads keys and redraws the line until it is submitted or discarded.

import { wrapText } from '../../answers/word-wrap.ts';
import { safeLine } from '../../output/format.ts';
import { type Screen, styled } from '../../terminal.ts';
import { type EditorOutcome, type EditorState, edited, pressKey, startEditor } from '../editor/editor.ts';
import type { Key } from '../editor/keys.ts';
import { type LineLayout, layOut } from '../editor/layout.ts';
import { insert, toLine } from '../editor/line.ts';
import { createLineView } from '../editor/line-view.ts';
import { type InputCompletion, insertedText } from './completion.ts';
import type { Keyboard } from './keyboard.ts';
import { hasOpenQuotes } from './multi-line.ts';

type LineRead = Extract<EditorOutcome, { type: 'submit' | 'interrupt' | 'exit' }>;

export interface PromptOptions {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly history: readonly string[];
  /** Ctrl-Z: returns the terminal to the shell. Resolves when the process continues. */
  readonly suspend: () => Promise<void>;
  /** Ctrl-G: edits the text elsewhere. Rejects if that fails. */
  readonly edit: (text: string) => Promise<string>;
  /** Tab: what the word before the cursor can be. */
  readonly complete: (before: string) => Promise<InputCompletion>;
  /** The text for an error, which is shown above the line. */
  readonly errorText: (error: unknown) => string;
}

const placeholder = 'Send a message (/? for help)';
const multiLinePlaceholder = 'Use """ to end multi-line input';

export function openPrompt(options: PromptOptions) {
  const { keyboard, screen, history } = options;
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
      const step = pressKey(state, key, { history, isUnfinished: hasOpenQuotes });
      ({ state } = step);
      const outcome = isHangup(key) ? { type: 'exit' as const } : step.outcome;
      if (outcome === undefined) continue;
      const rest = keys.slice(index + 1);
      switch (outcome.type) {
        case 'clear-screen':
          view.clearScreen();
          break;
        case 'suspend':
          leaveScreen();
          holdKeys(options.suspend());
          return rest;
        case 'edit':
          leaveScreen();
          holdKeys(edit());
          return rest;
        case 'complete':
          holdKeys(complete());
          return rest;
        default:
          end(outcome);
          return rest;
      }
    }
    draw();
    return [];
  }

  /** Another program uses the screen in the meantime. */
  function leaveScreen(): void {
    draw();
    view.finish();
  }

  /** Keys that are typed during the work are handled after it. */
  function holdKeys(work: Promise<void>): void {
    release();
    const resume = (): void => {
      draw();
      release = keyboard.attach(handleKeys);
    };
    work.then(resume, (error: unknown) => {
      notice(options.errorText(error));
      resume();
    });
  }

  async function edit(): Promise<void> {
    state = edited(state, toLine(await options.edit(state.line.text)));
  }

  async function complete(): Promise<void> {
    const { text, cursor } = state.line;
    const completion = await options.complete(text.slice(0, cursor));
    const added = insertedText(completion);
    state = edited(state, insert(state.line, added));
    if (added === '' && completion.candidates.length > 1) notice(listCandidates(completion, screen.width()));
  }

  function notice(text: string): void {
    view.erase();
    screen.write(text);
    draw();
  }

  draw();
  let release = keyboard.attach(handleKeys);
  return { line /** Shows a text above the edited line. */, notice };
}

export type LinePrompt = ReturnType<typeof openPrompt>;

function listCandidates({ candidates }: InputCompletion, width: number): string {
  return wrapText(`${candidates.map(safeLine).join('  ')}\n`, width);
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
  return hasOpenQuotes(line.text) && line.text.endsWith('\n') ? multiLinePlaceholder : '';
}
