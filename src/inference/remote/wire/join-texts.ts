// Joins texts that follow each other.

import type { AnswerPart } from './answer-part.ts';

type Text = Extract<AnswerPart, { readonly type: 'text' | 'thinking' }>;

/** A failure of the source is thrown after the parts before it. */
export function* joinTexts(parts: Iterable<AnswerPart>): Generator<AnswerPart> {
  let waiting: Text | undefined;
  try {
    for (const part of parts) {
      if (isText(part) && waiting?.type === part.type) {
        waiting = join(waiting, part);
        continue;
      }
      if (waiting !== undefined) yield waiting;
      waiting = isText(part) ? part : undefined;
      if (!isText(part)) yield part;
    }
  } catch (error) {
    if (waiting !== undefined) yield waiting;
    throw error;
  }
  if (waiting !== undefined) yield waiting;
}

function isText(part: AnswerPart): part is Text {
  return part.type === 'text' || part.type === 'thinking';
}

function join(first: Text, second: Text): Text {
  const text = first.text + second.text;
  const pieces = (first.pieces ?? 1) + (second.pieces ?? 1);
  if (first.type === 'thinking' || second.type === 'thinking') return { ...first, text, pieces };
  const logprobs = [...(first.logprobs ?? []), ...(second.logprobs ?? [])];
  return { ...first, text, pieces, ...(logprobs.length > 0 ? { logprobs } : {}) };
}
