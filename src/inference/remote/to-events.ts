// What a remote sends as the events of an answer: with a start, and an end that has all counts and times.

import { pipe } from '../../base/pipe.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { AnswerPart, WireRequest } from './wire/answer-part.ts';

type Usage = Extract<AnswerPart, { readonly type: 'usage' }>;
type Finish = Extract<AnswerPart, { readonly type: 'finish' }>;

interface EventTimes {
  /** When the request was sent: a time of the monotonic clock. */
  readonly begun: number;
  readonly clock: Clock;
}

/** The answer starts with its first part. */
export function toAnswerEvents(
  parts: AsyncIterable<AnswerPart>,
  { ignored }: Pick<WireRequest, 'ignored'>,
  { begun, clock }: EventTimes,
): AsyncGenerator<AnswerEvent> {
  let usage: Partial<Usage> = {};
  let finish: Finish = { type: 'finish', reason: 'stop' };
  let answered: number | undefined;
  let texts = 0;
  return pipe(parts, {
    push(part: AnswerPart, pass: (event: AnswerEvent) => void) {
      if (answered === undefined) {
        answered = clock.monotonic();
        // The remote counts the prompt at the end.
        const counts = { promptTokens: 0, cachedTokens: 0, droppedTokens: 0 };
        pass({ type: 'started', ...counts, ignored: ignored.length === 0 ? undefined : ignored });
      }
      if (part.type === 'usage') usage = part;
      else if (part.type === 'finish') finish = part;
      else {
        texts += part.type === 'tool-calls' ? 1 : (part.pieces ?? 1);
        passContent(part, texts, pass);
      }
    },
    end(pass) {
      // Without a count: each text has at least one token.
      const { promptTokens = 0, cachedTokens = 0, generatedTokens = texts } = usage;
      const ended = clock.monotonic();
      const first = answered ?? ended;
      const { promptNanoseconds = first - begun, generateNanoseconds = ended - first } = usage;
      const counts = { promptTokens, promptNanoseconds, generatedTokens, generateNanoseconds, cachedTokens };
      const { reason, stopSequence } = finish;
      const times = { totalNanoseconds: ended - begun, loadNanoseconds: 0 };
      pass({ type: 'done', reason, stopSequence, ...counts, thinkingTokens: 0, ...times });
    },
  });
}

type Content = Exclude<AnswerPart, Usage | Finish>;

function passContent(part: Content, generatedTokens: number, pass: (event: AnswerEvent) => void): void {
  if (part.type === 'text') {
    pass({ type: 'tokens', text: part.text, logprobs: part.logprobs, generatedTokens });
    return;
  }
  // The remote has separated them from the text.
  pass({ type: 'tokens', text: '', generatedTokens });
  pass(part.type === 'thinking' ? { type: 'thinking', text: part.text } : part);
}
