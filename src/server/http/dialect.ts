// A dialect is what the routes of one API have in common on the wire: errors and the framing of streams. A route names
// its dialect. A request that matches no route gets one by its path.

import type { TSchema } from 'typebox';
import type { ErrorCode, HearthError } from '../../base/errors.ts';

export interface ApiDialect {
  /** The default heading of its routes in the documentation. */
  readonly name: string;
  /** Schema of an error response. */
  readonly errorSchema: TSchema;
  readonly statusOf: (code: ErrorCode) => number;
  /** The error bodies of some dialects contain the request id. */
  readonly toErrorBody: (error: HearthError, requestId?: string) => object;
  readonly framing: Framing;
}

/** Whether the server has failed, which is logged. One that is busy and refuses a request has not. */
export function isServerError({ statusOf }: ApiDialect, code: ErrorCode): boolean {
  return statusOf(code) >= 500 && code !== 'busy';
}

/** How the objects of a stream become bytes. */
interface Framing {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frame: (object: object) => string;
  /** The status is sent before the first object, so a later error is part of the stream. */
  readonly frameError: (error: HearthError, requestId: string) => string;
  /** Follows the last object of a stream that did not fail. */
  readonly end: string;
}

export interface DialectTable {
  readonly fallback: ApiDialect;
  /** The longest matching prefix wins. `/v1` matches `/v1` and `/v1/models`, but not `/v1x`. */
  readonly prefixes: Readonly<Record<string, ApiDialect>>;
}

export function findDialect({ fallback, prefixes }: DialectTable, url: string): ApiDialect {
  const path = url.split('?', 1)[0] ?? '';
  const [longest] = Object.keys(prefixes)
    .filter((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    .sort((a, b) => b.length - a.length);
  return (longest === undefined ? undefined : prefixes[longest]) ?? fallback;
}
