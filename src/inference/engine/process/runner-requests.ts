// The open requests of a runner by id. Events with an unknown id belong to a canceled request and are dropped.

import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { FailedEvent, RunnerEvent } from '../../protocol/messages.ts';
import { createEmbedCollector, type EmbedCollector } from './embed-collector.ts';
import { type RequestEvent, RequestStream } from './request-stream.ts';

export interface RunnerRequests {
  openStream(): { readonly id: number; readonly stream: RequestStream };
  /** A request that is answered by a single event of that type. */
  openQuestion<Type extends AnsweringEvent['type']>(type: Type): Question<AnswerOf<Type>>;
  /** An embed request with so many texts. `onFirst` is called at the first vectors. */
  openEmbed(count: number, onFirst?: () => void): { readonly id: number; readonly collector: EmbedCollector };
  close(id: number): void;
  /** Whether a request waits for events. */
  hasOpen(): boolean;
  /** False if the event is not allowed now. Events that are not about a request are ignored. */
  route(event: RunnerEvent): boolean;
  abortAll(error: HearthError): void;
}

type AnsweringEvent = Extract<RunnerEvent, { type: 'counted' | 'tokenized' | 'detokenized' }>;

export type AnsweringType = AnsweringEvent['type'];
export type AnswerOf<Type extends AnsweringType> = Extract<AnsweringEvent, { type: Type }>;

interface Question<Event> {
  readonly id: number;
  readonly answer: Promise<Event>;
  /** Rejects `answer` with this error. */
  abort(error: HearthError): void;
}

export function createRunnerRequests(): RunnerRequests {
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
    openStream() {
      const id = ++lastId;
      const stream = new RequestStream();
      streams.set(id, stream);
      return { id, stream };
    },
    openQuestion(type) {
      const id = ++lastId;
      const answer = createDeferred<AnsweringEvent>();
      questions.set(id, { type, answer });
      return { id, answer: answer.promise, abort: answer.reject } as Question<AnswerOf<typeof type>>;
    },
    openEmbed(count, onFirst) {
      const id = ++lastId;
      const collector = createEmbedCollector(count, onFirst);
      collectors.set(id, collector);
      return { id, collector };
    },
    close(id) {
      streams.delete(id);
      collectors.delete(id);
      questions.delete(id);
    },
    hasOpen: () => streams.size + collectors.size + questions.size > 0,
    route(event) {
      switch (event.type) {
        case 'text':
          return event.pieces.every((piece) => accept(piece.id, { type: 'piece', ...piece }));
        case 'started':
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
    abortAll(error) {
      for (const stream of streams.values()) stream.abort(error);
      streams.clear();
      for (const collector of collectors.values()) collector.abort(error);
      collectors.clear();
      for (const { answer } of questions.values()) answer.reject(error);
      questions.clear();
    },
  };
}
