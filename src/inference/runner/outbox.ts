// Events for the server. A small model generates a token per millisecond, and sending one takes about as much processor
// time. So text is collected for a moment after each send. Every other event is sent at once, after the collected text.

import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import type { RunnerEvent, TextPiece, TokenLogprob } from '../protocol/messages.ts';

export interface TextSending {
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Tokens of the answer so far. */
  readonly generatedTokens?: number;
  /** Send it after this step, together with the collected text. */
  readonly atOnce?: boolean;
}

export interface Outbox {
  text(id: number, text: string, sending?: TextSending): void;
  send(event: RunnerEvent): void;
  /** Called after every step. */
  flushIfDue(): void;
  flush(): void;
}

// Forty pieces of text per second read as a steady flow. Measured (docs/perf-log.md): at a hundred per second Ember
// reaches 0.85 of its bare speed on two cores, at forty 0.90, at twenty still 0.90.
const maxWait = 25 * nanosecondsPerMillisecond;

export function createOutbox(clock: Clock, write: (event: RunnerEvent) => void): Outbox {
  const waiting = new Map<number, TextPiece>();
  let lastFlush = Number.NEGATIVE_INFINITY;
  let due = false;

  const flush = (): void => {
    if (waiting.size === 0) return;
    lastFlush = clock.monotonic();
    due = false;
    const pieces = [...waiting.values()];
    waiting.clear();
    write({ type: 'text', pieces });
  };

  return {
    text(id, text, { atOnce = false, ...counts } = {}) {
      if (text === '') return;
      due ||= atOnce;
      waiting.set(id, addText(waiting.get(id) ?? { id, text: '' }, text, counts));
    },
    send(event) {
      flush();
      write(event);
    },
    flushIfDue() {
      if (due || clock.monotonic() - lastFlush >= maxWait) flush();
    },
    flush,
  };
}

function addText(piece: TextPiece, text: string, { logprobs, generatedTokens }: TextSending): TextPiece {
  return {
    ...piece,
    text: piece.text + text,
    ...(logprobs === undefined ? {} : { logprobs: [...(piece.logprobs ?? []), ...logprobs] }),
    ...(generatedTokens === undefined ? {} : { generatedTokens }),
  };
}
