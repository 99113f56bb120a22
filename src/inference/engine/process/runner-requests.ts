// The requests that a runner is working on, by their number. Events for a number that is not here belong to a
// request that was given up, and are dropped.

import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { FailedEvent, RunnerEvent } from '../../protocol/messages.ts';
import { createEmbedCollector, type EmbedCollector } from './embed-collector.ts';
import { createRequestStream, type RequestEvent, type RequestStream } from './request-stream.ts';

export interface RequestTable {
  open(): { readonly id: number; readonly stream: RequestStream };
  /** For a question that is answered at once, by an event of that type. */
  openQuestion<Type extends AnsweringEvent['type']>(type: Type): Question<Extract<AnsweringEvent, { type: Type }>>;
  /** For so many texts that become vectors; `onFirst` is called when the first have. */
  openEmbed(count: number, onFirst?: () => void): { readonly id: number; readonly collector: EmbedCollector };
  close(id: number): void;
  /** False when an event cannot come now. Events about other things than requests are none of its business. */
  route(event: RunnerEvent): boolean;
  abandonAll(error: HearthError): void;
}

type AnsweringEvent = Extract<RunnerEvent, { type: 'counted' | 'tokenized' | 'detokenized' }>;

export interface Question<Event> {
  readonly id: number;
  readonly answer: Promise<Event>;
}

export function createRequestTable(): RequestTable {
  const streams = new Map<number, RequestStream>();
  const questions = new Map<number, { readonly type: string; readonly answer: Deferred<AnsweringEvent> }>();
  const collectors = new Map<number, EmbedCollector>();
  let lastId = 0;
  const accept = (id: number, event: RequestEvent): boolean => streams.get(id)?.accept(event) ?? true;
  const refuse = ({ id, code, message }: FailedEvent): boolean => {
    questions.get(id)?.answer.reject(new HearthError(code, message));
    return questions.delete(id);
  };

  return {
    open() {
      const id = ++lastId;
      const stream = createRequestStream();
      streams.set(id, stream);
      return { id, stream };
    },
    openQuestion(type) {
      const id = ++lastId;
      const answer = createDeferred<AnsweringEvent>();
      questions.set(id, { type, answer });
      return { id, answer: answer.promise } as Question<Extract<AnsweringEvent, { type: typeof type }>>;
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
    },
    route(event) {
      switch (event.type) {
        case 'text':
          return event.pieces.every((piece) => accept(piece.id, { type: 'piece', ...piece }));
        case 'started':
        case 'done':
          return accept(event.id, event);
        case 'failed':
          if (questions.has(event.id)) return refuse(event);
          return collectors.get(event.id)?.accept(event) ?? accept(event.id, event);
        case 'embedded':
          return collectors.get(event.id)?.accept(event) ?? true;
        case 'counted':
        case 'tokenized':
        case 'detokenized': {
          const question = questions.get(event.id);
          if (question?.type !== event.type) return false;
          question.answer.resolve(event);
          return questions.delete(event.id);
        }
        default:
          return true;
      }
    },
    abandonAll(error) {
      for (const stream of streams.values()) stream.abandon(error);
      streams.clear();
      for (const collector of collectors.values()) collector.abandon(error);
      collectors.clear();
      for (const { answer } of questions.values()) answer.reject(error);
      questions.clear();
    },
  };
}
