// Joins texts that follow each other.

import type { AnswerPart } from './answer-part.ts';

type Text = Extract<AnswerPart, { readonly type: 'text' | 'thinking' }>;

interface TextJoiner {
  push(part: AnswerPart): void;
  /** Passes on the text that waits for another one. */
  flush(): void;
}

export function createTextJoiner(pass: (part: AnswerPart) => void): TextJoiner {
  let waiting: Text | undefined;
  const flush = (): void => {
    const part = waiting;
    waiting = undefined;
    if (part !== undefined) pass(part);
  };
  return {
    push(part) {
      if (part.type !== 'text' && part.type !== 'thinking') {
        flush();
        pass(part);
      } else if (waiting?.type === part.type) waiting = join(waiting, part);
      else {
        flush();
        waiting = part;
      }
    },
    flush,
  };
}

/** Objects are written out: this runs for most tokens, and to copy one with `...` takes several times as long. */
function join(first: Text, second: Text): Text {
  const text = first.text + second.text;
  const pieces = (first.pieces ?? 1) + (second.pieces ?? 1);
  if (first.type === 'thinking' || second.type === 'thinking') return { type: 'thinking', text, pieces };
  if (first.logprobs === undefined && second.logprobs === undefined) return { type: 'text', text, pieces };
  return { type: 'text', text, pieces, logprobs: [...(first.logprobs ?? []), ...(second.logprobs ?? [])] };
}
