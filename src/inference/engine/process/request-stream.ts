// The events of one generate request as an async iterable. Rejects events that come in the wrong order.

import { createAsyncQueue } from '../../../base/async-queue.ts';
import { HearthError } from '../../../base/errors.ts';
import type { DoneEvent, FailedEvent, StartedEvent, TextPiece } from '../../protocol/messages.ts';
import type { GenerateEvent } from '../ports.ts';

export interface RequestStream extends AsyncIterable<GenerateEvent> {
  /** Whether the runner has sent its last event for this request. */
  readonly complete: boolean;
  /** False if the event is not allowed now: the runner violates the protocol. */
  accept(event: RequestEvent): boolean;
  /** Ends the stream with this error. */
  abort(error: HearthError): void;
}

export type RequestEvent = StartedEvent | (TextPiece & { readonly type: 'piece' }) | DoneEvent | FailedEvent;

// Characters of one answer: more than ten contexts of a million tokens. Only a defective runner exceeds it.
const maxText = 64 * 2 ** 20;

export function createRequestStream(): RequestStream {
  const queue = createAsyncQueue<GenerateEvent>({ merge: mergeText });
  let phase: 'waiting' | 'running' | 'complete' = 'waiting';
  let length = 0;

  return {
    get complete() {
      return phase === 'complete';
    },
    accept(event) {
      switch (event.type) {
        case 'started': {
          if (phase !== 'waiting') return false;
          phase = 'running';
          const { type: _, id: __, ...started } = event;
          queue.push({ type: 'started', ...started });
          return true;
        }
        case 'piece':
          length += event.text.length;
          if (phase !== 'running' || length > maxText) return false;
          queue.push(toText(event));
          return true;
        case 'done':
          if (phase !== 'running') return false;
          phase = 'complete';
          queue.push(toDone(event));
          queue.end();
          return true;
        case 'failed':
          if (phase === 'complete') return false;
          phase = 'complete';
          queue.fail(new HearthError(event.code, event.message));
          return true;
      }
    },
    abort: (error) => queue.fail(error),
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  };
}

function toText({ text, logprobs = [], generatedTokens }: Omit<TextPiece, 'id'>): GenerateEvent {
  return {
    type: 'text',
    text,
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(generatedTokens === undefined ? {} : { generatedTokens }),
  };
}

function toDone({ type: _, id: __, reason, stopSequence, context, ...stats }: DoneEvent): GenerateEvent {
  return {
    type: 'done',
    reason,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    stats,
    ...(context ? { context } : {}),
  };
}

// A client that reads slowly gets larger pieces of text.
function mergeText(waiting: GenerateEvent, next: GenerateEvent): GenerateEvent | undefined {
  if (waiting.type !== 'text' || next.type !== 'text') return undefined;
  const logprobs = [...(waiting.logprobs ?? []), ...(next.logprobs ?? [])];
  return toText({ ...next, text: waiting.text + next.text, logprobs });
}
