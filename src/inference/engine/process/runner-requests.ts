// The open requests of a runner by id. Events with an unknown id belong to a canceled request and are dropped.

import { createAsyncQueue } from '../../../base/async-queue.ts';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type {
  DoneEvent,
  FailedEvent,
  ProgressEvent,
  PromptEvent,
  RunnerEvent,
  StartedEvent,
  TextPiece,
} from '../../protocol/messages.ts';
import { createEmbedCollector, type EmbedCollector } from './embed-collector.ts';

type AnsweringEvent = Extract<RunnerEvent, { type: 'counted' | 'tokenized' | 'detokenized' }>;

export type AnsweringType = AnsweringEvent['type'];
export type AnswerOf<Type extends AnsweringType> = Extract<AnsweringEvent, { type: Type }>;

interface Question<Event> {
  readonly id: number;
  readonly answer: Promise<Event>;
  /** Rejects `answer` with this error. */
  abort(error: HearthError): void;
}

export function createRunnerRequests() {
  const streams = new Map<number, RequestStream>();
  const questions = new Map<number, { readonly type: string; readonly answer: Deferred<AnsweringEvent> }>();
  const collectors = new Map<number, EmbedCollector>();
  let lastId = 0;
  const accept = (id: number, event: RequestEvent): boolean => streams.get(id)?.accept(event) ?? true;
  const rejectQuestion = ({ id, code, message }: FailedEvent): boolean => {
    questions.get(id)?.answer.reject(new HearthError(code, message));
    return questions.delete(id);
  };

  return {
    openStream(): { readonly id: number; readonly stream: RequestStream } {
      const id = ++lastId;
      const stream = new RequestStream();
      streams.set(id, stream);
      return { id, stream };
    },
    /** A request that is answered by a single event of that type. */
    openQuestion<Type extends AnsweringType>(type: Type): Question<AnswerOf<Type>> {
      const id = ++lastId;
      const answer = createDeferred<AnsweringEvent>();
      questions.set(id, { type, answer });
      return { id, answer: answer.promise, abort: answer.reject } as Question<AnswerOf<Type>>;
    },
    /** An embed request with so many texts. `onFirst` is called at the first vectors. */
    openEmbed(count: number, onFirst?: () => void): { readonly id: number; readonly collector: EmbedCollector } {
      const id = ++lastId;
      const collector = createEmbedCollector(count, onFirst);
      collectors.set(id, collector);
      return { id, collector };
    },
    close(id: number): void {
      streams.delete(id);
      collectors.delete(id);
      questions.delete(id);
    },
    /** The tokens of prompts and answers that the runner works on. */
    contextTokens: (): number => [...streams.values()].reduce((sum, { contextTokens }) => sum + contextTokens, 0),
    /** Whether a request waits for events. */
    hasOpen: (): boolean => streams.size + collectors.size + questions.size > 0,
    /** False if the event is not allowed now. Events that are not about a request are ignored. */
    route(event: RunnerEvent): boolean {
      switch (event.type) {
        case 'text':
          return event.pieces.every((piece) => accept(piece.id, { type: 'piece', ...piece }));
        case 'started':
        case 'prompt':
        case 'progress':
        case 'done':
          return accept(event.id, event);
        case 'failed':
          if (questions.has(event.id)) return rejectQuestion(event);
          return collectors.get(event.id)?.accept(event) ?? accept(event.id, event);
        case 'embedded':
          return collectors.get(event.id)?.accept(event) ?? true;
        case 'counted':
        case 'tokenized':
        case 'detokenized': {
          const question = questions.get(event.id);
          if (question === undefined) return true;
          if (question.type !== event.type) return false;
          question.answer.resolve(event);
          return questions.delete(event.id);
        }
        default:
          return true;
      }
    },
    abortAll(error: HearthError): void {
      for (const stream of streams.values()) stream.abort(error);
      streams.clear();
      for (const collector of collectors.values()) collector.abort(error);
      collectors.clear();
      for (const { answer } of questions.values()) answer.reject(error);
      questions.clear();
    },
  };
}

export type RunnerRequests = ReturnType<typeof createRunnerRequests>;

// The events of one generate request as an async iterable. Rejects events that come in the wrong order.
export type RequestEvent =
  | StartedEvent
  | PromptEvent
  | (TextPiece & { readonly type: 'piece' })
  | ProgressEvent
  | DoneEvent
  | FailedEvent;

// Characters of one answer: more than ten contexts of a million tokens. Only a defective runner exceeds it.
const maxText = 64 * 2 ** 20;

export class RequestStream implements AsyncIterable<AnswerEvent> {
  readonly #queue = createAsyncQueue<AnswerEvent>({ merge: mergeText });
  #phase: 'waiting' | 'running' | 'complete' = 'waiting';
  #length = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;
  #promptTokens = 0;
  /** Prompt tokens that were not reported. */
  #unreported = 0;

  /** Whether the runner has sent its last event for this request. */
  get complete(): boolean {
    return this.#phase === 'complete';
  }

  /** The tokens of prompt and answer while the runner works on them. */
  get contextTokens(): number {
    return this.#phase === 'running' ? this.#promptTokens + this.#generatedTokens : 0;
  }

  /** False if the event is not allowed now: the runner violates the protocol. */
  accept(event: RequestEvent): boolean {
    switch (event.type) {
      case 'started':
        return this.#start(event);
      case 'prompt':
        return this.#addPrompt(event);
      case 'progress':
        return this.#addProgress(event);
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
    this.#unreported = event.promptTokens;
    this.#promptTokens = event.promptTokens;
    this.#queue.push(event);
    return true;
  }

  #addPrompt({ tokens, distributions }: PromptEvent): boolean {
    this.#unreported -= tokens.length;
    if (this.#phase !== 'running' || this.#unreported < 0 || tokens.length === 0) return false;
    this.#queue.push({ type: 'prompt-tokens', tokens, distributions });
    return true;
  }

  #addProgress({ evaluated }: ProgressEvent): boolean {
    if (this.#phase !== 'running' || evaluated > this.#promptTokens) return false;
    this.#queue.push({ type: 'progress', evaluated, total: this.#promptTokens });
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
