// The parts of a remote's answer as the events of an engine: with a start, and an end that has all counts and times.

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

/** The first part is the request that is answered. */
export async function* toConversationEvents(
  parts: AsyncIterable<AnswerPart | WireRequest>,
  { begun, clock }: EventTimes,
): AsyncGenerator<ConversationEvent> {
  let usage: Usage | undefined;
  let finish: Finish = { type: 'finish', reason: 'stop' };
  let answered = begun;
  let texts = 0;
  for await (const part of parts) {
    if (!('type' in part)) {
      answered = clock.monotonic();
      const { ignored } = part;
      yield {
        type: 'started',
        promptTokens: 0,
        cachedTokens: 0,
        droppedTokens: 0,
        ...(ignored.length === 0 ? {} : { ignoredOptions: ignored }),
      };
    } else if (part.type === 'usage') usage = part;
    else if (part.type === 'finish') finish = part;
    else {
      texts++;
      yield part;
    }
  }
  const { reason, stopSequence } = finish;
  yield {
    type: 'done',
    reason,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    cachedTokens: usage?.cachedTokens ?? 0,
    stats: {
      promptTokens: usage?.promptTokens ?? 0,
      // Without a count: each text has at least one token.
      generatedTokens: usage?.generatedTokens ?? texts,
      promptNanoseconds: usage?.promptNanoseconds ?? answered - begun,
      generateNanoseconds: usage?.generateNanoseconds ?? clock.monotonic() - answered,
    },
  };
}
