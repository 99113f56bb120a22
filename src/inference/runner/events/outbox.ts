// Events for the server. A small model generates a token per millisecond, and sending one takes about as much processor
// time. So text is collected for a moment after each send. Every other event is sent at once, after the collected text.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { FailedEvent, RunnerEvent, TextPiece, TokenLogprob } from '../../protocol/messages.ts';

interface TextSending {
  readonly tokenIds?: readonly number[] | undefined;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Tokens of the answer so far. */
  readonly generatedTokens?: number;
  /** Send it after this step, together with the collected text. */
  readonly atOnce?: boolean;
}

/** Changed in place: it grows with every token. */
interface CollectedText extends TextPiece {
  text: string;
  tokenIds?: number[];
  logprobs?: TokenLogprob[];
  generatedTokens?: number;
}

/**
 * How long text is collected, in milliseconds. Twenty-five pieces per second read as a steady flow. On the CPU, the server and its
 * client take the processor of the model for each piece (docs/perf-log.md), on a GPU they do not.
 */
export const collectTime = { onCpu: 40, onGpu: 25 } as const;

export function createOutbox(
  clock: Clock,
  write: (event: RunnerEvent) => void,
  milliseconds: number = collectTime.onCpu,
) {
  const maxWait = milliseconds * nanosecondsPerMillisecond;
  const waiting = new Map<number, CollectedText>();
  let lastFlush = Number.NEGATIVE_INFINITY;
  let due = false;

  const isDue = (): boolean => due || clock.monotonic() - lastFlush >= maxWait;

  const flush = (): void => {
    if (waiting.size === 0) return;
    lastFlush = clock.monotonic();
    due = false;
    const pieces = [...waiting.values()];
    waiting.clear();
    write({ type: 'text', pieces });
  };

  return {
    text(id: number, text: string, { atOnce = false, logprobs, tokenIds, generatedTokens }: TextSending = {}): void {
      if (text === '') return;
      due ||= atOnce;
      let piece = waiting.get(id);
      if (piece === undefined) {
        piece = { id, text: '' };
        waiting.set(id, piece);
      }
      piece.text += text;
      if (generatedTokens !== undefined) piece.generatedTokens = generatedTokens;
      if (tokenIds !== undefined) piece.tokenIds = [...(piece.tokenIds ?? []), ...tokenIds];
      if (logprobs === undefined) return;
      piece.logprobs ??= [];
      piece.logprobs.push(...logprobs);
    },
    send(event: RunnerEvent): void {
      flush();
      write(event);
    },
    /** A request cannot be carried out. */
    fail(id: number, error: unknown): void {
      flush();
      write({ type: 'failed', id, code: codeOf(error), message: messageOf(error) });
    },
    /** Whether text is sent after this step. */
    isDue,
    /** Called after every step. */
    sendDue(): void {
      if (waiting.size > 0 && isDue()) flush();
    },
    flush,
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

function codeOf(error: unknown): FailedEvent['code'] {
  const code = error instanceof HearthError ? error.code : undefined;
  return code === 'bad_request' || code === 'prompt_too_long' ? code : 'request_failed';
}
