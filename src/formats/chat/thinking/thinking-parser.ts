// Separates the thinking of a model from its answer while both are streamed.
//
//   output = [ blanks [ open blanks thinking ] close ] blanks content
//
// Thinking is possible only at the start. Output that starts with anything else is all content. MiniMax M3 writes the closing
// tag without thinking, too.

import { undecidedLength } from '../../../base/text/undecided-length.ts';

export interface ThinkingTags {
  readonly open: string;
  readonly close: string;
}

export interface ThinkingOutput {
  readonly thinking: string;
  readonly content: string;
}

type Phase = 'before' | 'opened' | 'thinking' | 'closed' | 'content';

/** `inside`: the prompt ends with the opening tag, so the output starts with thinking. */
export function createThinkingParser({ open, close }: ThinkingTags, inside: boolean) {
  let phase: Phase = inside ? 'opened' : 'before';
  let held = '';
  let thinking = '';

  /** One step of the automaton per phase; false if more text is needed. */
  const steps: Readonly<Record<Exclude<Phase, 'content'>, () => boolean>> = {
    before() {
      const start = held.trimStart();
      if (start.startsWith(open)) {
        held = start.slice(open.length);
        phase = 'opened';
        return true;
      }
      if (start.startsWith(close)) {
        held = start.slice(close.length);
        phase = 'closed';
        return true;
      }
      if (open.startsWith(start) || close.startsWith(start)) return false;
      phase = 'content';
      return true;
    },
    opened() {
      held = held.trimStart();
      if (held === '') return false;
      phase = 'thinking';
      return true;
    },
    thinking() {
      const end = held.indexOf(close);
      if (end === -1) {
        const sure = held.length - undecidedLength(held, close);
        thinking += held.slice(0, sure);
        held = held.slice(sure);
        return false;
      }
      thinking += held.slice(0, end);
      held = held.slice(end + close.length);
      phase = 'closed';
      return true;
    },
    closed() {
      held = held.trimStart();
      if (held === '') return false;
      phase = 'content';
      return true;
    },
  };

  const take = (): ThinkingOutput => {
    const output = { thinking, content: phase === 'content' ? held : '' };
    thinking = '';
    if (phase === 'content') held = '';
    return output;
  };

  return {
    /** Whether the content has started. */
    get answering(): boolean {
      return phase === 'content';
    },
    /** Adds a piece of output; returns the parts that are decided. */
    push(text: string): ThinkingOutput {
      held += text;
      while (phase !== 'content' && steps[phase]());
      return take();
    },
    /** Ends the output; returns the remaining parts. */
    finish(): ThinkingOutput {
      if (phase === 'thinking') {
        thinking += held;
        held = '';
      } else phase = 'content';
      return take();
    },
  };
}

export type ThinkingParser = ReturnType<typeof createThinkingParser>;
