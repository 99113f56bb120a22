// What the documentation says about an operation beyond its schemas.

import type { Route } from '../route.ts';

interface OperationNote {
  /** One or a few sentences: what it does, and what callers have to know. */
  readonly description: string;
  /** A request that a user can send as it is, or after changing a name. Empty: the operation has no input. */
  readonly example: OperationExample;
}

export interface OperationExample {
  /** The parts of the path that the route leaves open; `*` is called `id`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The fields of a form; one that begins with @ is the name of a file. */
  readonly form?: Readonly<Record<string, string>>;
  /** The name of a file whose bytes are the body. */
  readonly file?: string;
}

/** By method and path, as in `GET /api/tags`. */
export type OperationTable = Readonly<Record<string, OperationNote>>;

export function operationKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
