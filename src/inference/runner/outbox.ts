// What goes up to the server. A small model makes a token a millisecond, and passing one on takes the cores away from
// it for about as long; so a text waits a moment for company when another went just before. Everything else goes at
// once, and takes the waiting text along.

import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import type { RunnerEvent, TokenLogprob } from '../protocol/messages.ts';

export interface Outbox {
  /** With probabilities where they were asked for. */
  text(id: number, text: string, logprobs?: readonly TokenLogprob[]): void;
  send(event: RunnerEvent): void;
  /** Called after every step. */
  flushIfDue(): void;
  flush(): void;
}

// Forty pieces of text a second look like a steady flow. Measured (docs/perf-log.md): at a hundred a second Ember
// reaches 0.85 of its bare speed on two cores, at forty 0.90, at twenty no more than that.
const maxWait = 25 * nanosecondsPerMillisecond;

export function createOutbox(clock: Clock, write: (event: RunnerEvent) => void): Outbox {
  const waiting = new Map<number, string>();
  const probabilities = new Map<number, TokenLogprob[]>();
  let lastFlush = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    if (waiting.size === 0) return;
    lastFlush = clock.monotonic();
    const pieces = Array.from(waiting, ([id, text]) => {
      const logprobs = probabilities.get(id);
      return logprobs === undefined ? { id, text } : { id, text, logprobs };
    });
    waiting.clear();
    probabilities.clear();
    write({ type: 'text', pieces });
  };

  return {
    text(id, text, logprobs) {
      if (text === '') return;
      waiting.set(id, (waiting.get(id) ?? '') + text);
      if (logprobs !== undefined) probabilities.set(id, [...(probabilities.get(id) ?? []), ...logprobs]);
    },
    send(event) {
      flush();
      write(event);
    },
    flushIfDue() {
      if (waiting.size > 0 && clock.monotonic() - lastFlush >= maxWait) flush();
    },
    flush,
  };
}
