// The parts of a remote's answer as the events of an engine: with a start, and an end that has all counts and times.

import { pipe } from '../../base/pipe.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ConversationEvent } from '../engine/ports.ts';
import type { AnswerPart, WireRequest } from './wire/answer-part.ts';

type Usage = Extract<AnswerPart, { readonly type: 'usage' }>;
type Finish = Extract<AnswerPart, { readonly type: 'finish' }>;

export interface EventTimes {
  /** When the request was sent: a time of the monotonic clock. */
  readonly begun: number;
  readonly clock: Clock;
}

/** The answer starts with its first part. */
export function toConversationEvents(
  parts: AsyncIterable<AnswerPart>,
  request: Pick<WireRequest, 'ignored'>,
  { begun, clock }: EventTimes,
): AsyncGenerator<ConversationEvent> {
  let usage: Partial<Usage> = {};
  let finish: Finish = { type: 'finish', reason: 'stop' };
  let answered: number | undefined;
  let texts = 0;
  return pipe(parts, {
    push(part: AnswerPart, pass: (event: ConversationEvent) => void) {
      if (answered === undefined) {
        answered = clock.monotonic();
        pass(startOf(request));
      }
      if (part.type === 'usage') usage = part;
      else if (part.type === 'finish') finish = part;
      else if (part.type === 'tool-calls') {
        texts++;
        pass(part);
      } else {
        texts += part.pieces ?? 1;
        pass(withoutPieces(part));
      }
    },
    end(pass) {
      const { type: _, ...end } = finish;
      // Without a count: each text has at least one token.
      const { promptTokens = 0, cachedTokens = 0, generatedTokens = texts } = usage;
      const ended = clock.monotonic();
      const first = answered ?? ended;
      const { promptNanoseconds = first - begun, generateNanoseconds = ended - first } = usage;
      const stats = { promptTokens, promptNanoseconds, generatedTokens, generateNanoseconds };
      pass({ type: 'done', ...end, cachedTokens, stats });
    },
  });
}

function withoutPieces(part: Extract<AnswerPart, { readonly text: string }>): ConversationEvent {
  const { type, text } = part;
  return type === 'text' && part.logprobs !== undefined ? { type, text, logprobs: part.logprobs } : { type, text };
}

/** The prompt is counted at the end. */
function startOf({ ignored }: Pick<WireRequest, 'ignored'>): ConversationEvent {
  const counts = { promptTokens: 0, cachedTokens: 0, droppedTokens: 0 };
  return { type: 'started', ...counts, ...(ignored.length === 0 ? {} : { ignoredOptions: ignored }) };
}
