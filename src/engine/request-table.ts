// The requests that a runner is working on, by their number. Events for a number that is not here belong to a
// request that was given up, and are dropped.

import { createDeferred, type Deferred } from '../kernel/deferred.ts';
import type { HearthError } from '../kernel/errors.ts';
import type { RunnerEvent } from '../protocol/messages.ts';
import { createEmbedCollector, type EmbedCollector } from './embed-collector.ts';
import { createRequestStream, type RequestEvent, type RequestStream } from './request-stream.ts';

export interface RequestTable {
  open(): { readonly id: number; readonly stream: RequestStream };
  /** For a question that is answered by a number. */
  openCount(): { readonly id: number; readonly tokens: Promise<number> };
  /** For so many texts that become vectors; `onFirst` is called when the first have. */
  openEmbed(count: number, onFirst?: () => void): { readonly id: number; readonly collector: EmbedCollector };
  close(id: number): void;
  /** False when an event cannot come now. Events about other things than requests are none of its business. */
  route(event: RunnerEvent): boolean;
  abandonAll(error: HearthError): void;
}

export function createRequestTable(): RequestTable {
  const streams = new Map<number, RequestStream>();
  const counts = new Map<number, Deferred<number>>();
  const collectors = new Map<number, EmbedCollector>();
  let lastId = 0;
  const accept = (id: number, event: RequestEvent): boolean => streams.get(id)?.accept(event) ?? true;

  return {
    open() {
      const id = ++lastId;
      const stream = createRequestStream();
      streams.set(id, stream);
      return { id, stream };
    },
    openCount() {
      const id = ++lastId;
      const count = createDeferred<number>();
      counts.set(id, count);
      return { id, tokens: count.promise };
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
          return collectors.get(event.id)?.accept(event) ?? accept(event.id, event);
        case 'embedded':
          return collectors.get(event.id)?.accept(event) ?? true;
        case 'counted':
          counts.get(event.id)?.resolve(event.tokens);
          return counts.delete(event.id);
        default:
          return true;
      }
    },
    abandonAll(error) {
      for (const stream of streams.values()) stream.abandon(error);
      streams.clear();
      for (const collector of collectors.values()) collector.abandon(error);
      collectors.clear();
      for (const count of counts.values()) count.reject(error);
      counts.clear();
    },
  };
}
