// What a route is here: a method, a path, a schema for its body if it has one, and a translation.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: TObject;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}
