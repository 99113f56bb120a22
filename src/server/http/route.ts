// What a route is here: a method, a path, a schema for its body if it has one, and a translation. What it says about
// itself goes into the OpenAPI document.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';

export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: TObject;
  /** The handler reads the body itself, from the raw request, however long it is. */
  readonly readsBody?: boolean;
  /** What it does, in half a sentence. */
  readonly summary?: string;
  /** The JSON that it answers with; absent: nothing, or a text. */
  readonly response?: TSchema;
  /** The objects that it streams, where it can. */
  readonly streams?: StreamedObjects;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

export interface StreamedObjects {
  readonly type: 'application/x-ndjson' | 'text/event-stream';
  readonly each: TSchema;
}
