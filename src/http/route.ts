// What a route is here: a method, a path, a schema for its body if it has one, and a translation.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';

export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: TObject;
  /** The handler reads the body itself, from the raw request, however long it is. */
  readonly readsBody?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}
