// Why a schema is refused: a sentence with the place in the schema.

import { HearthError } from '../../base/errors.ts';

/** `place` as in `properties.age`; the reason goes on from it: "is not supported". */
export function schemaError(place: string, reason: string): HearthError {
  return new HearthError('bad_request', `format: ${place === '' ? 'the schema' : place} ${reason}`);
}

/** The place of a member or an element of what is at `place`. */
export function placeOf(place: string, key: string | number): string {
  if (typeof key === 'number') return `${place}[${key}]`;
  if (!/^[\w$-]{1,60}$/.test(key)) return `${place}[${JSON.stringify(key.slice(0, 60))}]`;
  return place === '' ? key : `${place}.${key}`;
}

/** The answer of a function that builds part of a grammar where no value is left to build it for. */
export interface Contradiction {
  readonly kind: 'contradiction';
  readonly place: string;
  readonly reason: string;
}

export function contradiction(place: string, reason: string): Contradiction {
  return { kind: 'contradiction', place, reason };
}
