// Ends an answer at stop sequences that the remote does not look for. Text that may be the start of one is held back.

import type { AnswerPart } from './answer-part.ts';

type TextPart = Extract<AnswerPart, { readonly type: 'text' }>;

interface StopCutter {
  /** The parts that can be passed on. `isDone`: the answer ends here. */
  push(part: AnswerPart): { readonly parts: readonly AnswerPart[]; readonly isDone: boolean };
}

export function createStopCutter(stops: readonly string[]): StopCutter {
  let held = '';
  const longest = stops.reduce((most, stop) => Math.max(most, stop.length), 0);

  const pushText = ({ text, logprobs }: TextPart): ReturnType<StopCutter['push']> => {
    held += text;
    const partsOf = (sent: string): TextPart[] =>
      sent === '' && logprobs === undefined ? [] : [{ type: 'text', text: sent, logprobs }];
    const found = firstStop(held, stops);
    if (found !== undefined) {
      const finish = { type: 'finish', reason: 'stop', stopSequence: found.stop } as const;
      return { parts: [...partsOf(held.slice(0, found.start)), finish], isDone: true };
    }
    const sure = held.length - undecided(held, stops, longest);
    const parts = partsOf(held.slice(0, sure));
    held = held.slice(sure);
    return { parts, isDone: false };
  };

  return {
    push(part) {
      if (part.type === 'text') return pushText(part);
      if (part.type !== 'finish' || held === '') return { parts: [part], isDone: false };
      const rest = { type: 'text', text: held } as const;
      held = '';
      return { parts: [rest, part], isDone: false };
    },
  };
}

interface FoundStop {
  readonly stop: string;
  readonly start: number;
}

/** The one that is complete first, whether or not more text has arrived already; of several, the longest. */
function firstStop(text: string, stops: readonly string[]): FoundStop | undefined {
  const endOf = ({ stop, start }: FoundStop): number => start + stop.length;
  const found = stops
    .map((stop) => ({ stop, start: stop === '' ? -1 : text.indexOf(stop) }))
    .filter(({ start }) => start !== -1);
  return found.sort((a, b) => endOf(a) - endOf(b) || a.start - b.start)[0];
}

/** The number of characters at the end that may be the start of a stop sequence. */
function undecided(text: string, stops: readonly string[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.startsWith(end))) return length;
  }
  return 0;
}
