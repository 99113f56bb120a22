// A route: method, path, schemas and handler. The OpenAPI document is built from the same values.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { RouteScope } from './access/access-control.ts';
import type { ApiDialect } from './dialect.ts';

export interface Route {
  readonly dialect: ApiDialect;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** What a key must allow, if the server has keys. */
  readonly scope: RouteScope;
  /** A few words for the documentation. */
  readonly summary: string;
  /** Heading in the documentation; by default the name of the dialect. */
  readonly tag?: string;
  /** Schema of the JSON request body. */
  readonly body?: TObject;
  /** The most bytes of the body; by default what its fields need (receiving/field-bounds.ts). */
  readonly maxBodyBytes?: number;
  /** The most names and values of the body; by default what a request to a model needs (base/text/json-scanner.ts). */
  readonly maxBodyValues?: number;
  /** The body is kept as it is: fields that the schema does not have, and empty values, count. */
  readonly exactBody?: boolean;
  /** Parameters of the path, for the documentation; by default any string. The handler checks them. */
  readonly params?: Readonly<Record<string, TSchema>>;
  /** Parameters of the query, all optional, for the documentation. The handler checks them. */
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The request's `body` is an AsyncIterable of chunks without a size limit; absent if the request has none. */
  readonly readsBody?: boolean;
  /** Schema of the JSON response; absent if the response is empty or text. */
  readonly response?: TSchema;
  /** Schema of each object of a stream; absent if the route does not stream. */
  readonly streams?: TSchema;
  /** Server errors that a valid request can cause, with their reasons, for the documentation. */
  readonly failures?: Readonly<Record<number, string>>;
  /** Requests can also be messages over a WebSocket, which a client opens with GET on the path. */
  readonly overWebSocket?: true;
  /** The route runs a model: requests count in quotas, and what they use is recorded. */
  readonly metered?: true;
  /** A response without a stream says how busy the server is, if the request asks for it. */
  readonly reportsLoad?: true;
  /** Clients call it all the time; its requests are logged at debug level only. */
  readonly polled?: boolean;
  /** Answered even if the server is not ready. Requests of other routes wait until it is. */
  readonly beforeReady?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}
