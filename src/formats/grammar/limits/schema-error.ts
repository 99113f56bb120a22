// The errors for schemas that are refused. Each names the path in the schema.

import { HearthError } from '../../../base/errors.ts';

/** `path` is for example `properties.age`, and `reason` continues the sentence: "is not supported". */
export function schemaError(path: string, reason: string): HearthError {
  return new HearthError('bad_request', `format: ${path === '' ? 'the schema' : path} ${reason}`);
}

/** For the errors of texts. Lines and columns begin with 1. */
export function placeIn(source: string, at: number): string {
  const lines = source.slice(0, at).split('\n');
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? '').length + 1}`;
}

/** The path of a member or an element of the value at `path`. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w$-]{1,60}$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, 60))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The result of a function that builds part of a grammar, if no value is possible. */
export interface Contradiction {
  readonly kind: 'contradiction';
  readonly path: string;
  readonly reason: string;
}

export function contradiction(path: string, reason: string): Contradiction {
  return { kind: 'contradiction', path, reason };
}
