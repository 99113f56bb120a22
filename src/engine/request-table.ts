// The requests that a runner is working on, by their number. Events for a number that is not here belong to a
// request that was given up, and are dropped.

import type { HearthError } from '../kernel/errors.ts';
import type { RunnerEvent } from '../protocol/messages.ts';
import { createRequestStream, type RequestEvent, type RequestStream } from './request-stream.ts';

export interface RequestTable {
  open(): { readonly id: number; readonly stream: RequestStream };
  close(id: number): void;
  /** False when an event cannot come now. Events about other things than requests are none of its business. */
  route(event: RunnerEvent): boolean;
  abandonAll(error: HearthError): void;
}

export function createRequestTable(): RequestTable {
  const streams = new Map<number, RequestStream>();
  let lastId = 0;
  const accept = (id: number, event: RequestEvent): boolean => streams.get(id)?.accept(event) ?? true;

  return {
    open() {
      const id = ++lastId;
      const stream = createRequestStream();
      streams.set(id, stream);
      return { id, stream };
    },
    close: (id) => void streams.delete(id),
    route(event) {
      switch (event.type) {
        case 'text':
          return event.pieces.every((piece) => accept(piece.id, { type: 'piece', ...piece }));
        case 'started':
        case 'done':
        case 'failed':
          return accept(event.id, event);
        default:
          return true;
      }
    },
    abandonAll(error) {
      for (const stream of streams.values()) stream.abandon(error);
      streams.clear();
    },
  };
}
