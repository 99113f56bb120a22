// The events of one generate request as an async iterable. Rejects events that come in the wrong order.

import { createAsyncQueue } from '../../../base/async-queue.ts';
import { HearthError } from '../../../base/errors.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type { DoneEvent, FailedEvent, StartedEvent, TextPiece } from '../../protocol/messages.ts';

export type RequestEvent = StartedEvent | (TextPiece & { readonly type: 'piece' }) | DoneEvent | FailedEvent;

// Characters of one answer: more than ten contexts of a million tokens. Only a defective runner exceeds it.
const maxText = 64 * 2 ** 20;

export class RequestStream implements AsyncIterable<AnswerEvent> {
  readonly #queue = createAsyncQueue<AnswerEvent>({ merge: mergeText });
  #phase: 'waiting' | 'running' | 'complete' = 'waiting';
  #length = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;

  /** Whether the runner has sent its last event for this request. */
  get complete(): boolean {
    return this.#phase === 'complete';
  }

  /** False if the event is not allowed now: the runner violates the protocol. */
  accept(event: RequestEvent): boolean {
    switch (event.type) {
      case 'started':
        return this.#start(event);
      case 'piece':
        return this.#addText(event);
      case 'done':
        return this.#finish(event);
      case 'failed':
        if (this.complete) return false;
        this.#phase = 'complete';
        this.#queue.fail(new HearthError(event.code, event.message));
        return true;
    }
  }

  /** Ends the stream with this error. */
  abort(error: HearthError): void {
    this.#queue.fail(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<AnswerEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  #start({ id: _, ...event }: StartedEvent): boolean {
    if (this.#phase !== 'waiting') return false;
    this.#phase = 'running';
    this.#cachedTokens = event.cachedTokens;
    this.#queue.push(event);
    return true;
  }

  #addText(piece: TextPiece): boolean {
    this.#length += piece.text.length;
    if (this.#phase !== 'running' || this.#length > maxText) return false;
    // A runner that does not count sends at least one token.
    this.#generatedTokens = piece.generatedTokens ?? this.#generatedTokens + 1;
    this.#queue.push(toTokens(piece, this.#generatedTokens));
    return true;
  }

  #finish({ id: _, thinkingTokens = 0, ...done }: DoneEvent): boolean {
    if (this.#phase !== 'running') return false;
    this.#phase = 'complete';
    // The model fills in the times, because it knows when the request arrived.
    const times = { totalNanoseconds: 0, loadNanoseconds: 0 };
    this.#queue.push({ ...done, cachedTokens: this.#cachedTokens, thinkingTokens, ...times });
    this.#queue.end();
    return true;
  }
}

function toTokens({ text, logprobs = [], tokenIds }: Omit<TextPiece, 'id'>, generatedTokens: number): AnswerEvent {
  // Written out: this runs for every piece, and copying takes several times as long.
  if (tokenIds !== undefined) return { type: 'tokens', text, logprobs, tokenIds, generatedTokens };
  return logprobs.length === 0
    ? { type: 'tokens', text, generatedTokens }
    : { type: 'tokens', text, logprobs, generatedTokens };
}

// A client that reads slowly gets larger pieces of text.
function mergeText(waiting: AnswerEvent, next: AnswerEvent): AnswerEvent | undefined {
  if (waiting.type !== 'tokens' || next.type !== 'tokens') return undefined;
  const logprobs = [...(waiting.logprobs ?? []), ...(next.logprobs ?? [])];
  const tokenIds = next.tokenIds && [...(waiting.tokenIds ?? []), ...next.tokenIds];
  return toTokens({ text: waiting.text + next.text, logprobs, tokenIds }, next.generatedTokens);
}
