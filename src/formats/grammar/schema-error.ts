// Why a schema is refused: a sentence with the place in the schema.

import { HearthError } from '../../base/errors.ts';

/** `place` as in `properties.age`; the reason goes on from it: "is not supported". */
export function schemaError(path: string, reason: string): HearthError {
  return new HearthError('bad_request', `format: ${path === '' ? 'the schema' : path} ${reason}`);
}

/** The place of a member or an element of what is at `place`. */
export function pathOf(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w$-]{1,60}$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, 60))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The answer of a function that builds part of a grammar where no value is left to build it for. */
export interface Contradiction {
  readonly kind: 'contradiction';
  readonly path: string;
  readonly reason: string;
}

export function contradiction(path: string, reason: string): Contradiction {
  return { kind: 'contradiction', path, reason };
}
