// Resolves a `$ref` within the schema.

import { childPath, schemaError } from '../limits/schema-error.ts';
import { isJsonObject } from './json-value.ts';

/** A schema and its path. */
export interface LocatedSchema {
  readonly schema: unknown;
  readonly path: string;
}

export function resolveReference(root: unknown, reference: string, path: string): LocatedSchema {
  const refuse = (reason: string) => schemaError(childPath(path, '$ref'), reason);
  const shown = JSON.stringify(reference.slice(0, 100));
  if (!reference.startsWith('#')) throw refuse(`refers to another document, which is not supported: ${shown}`);
  if (reference !== '#' && !reference.startsWith('#/'))
    throw refuse(`is not a JSON pointer such as #/$defs/name: ${shown}`);
  let found: LocatedSchema = { schema: root, path: '' };
  for (const step of reference.split('/').slice(1)) {
    const key = decodeSegment(step);
    const { schema } = found;
    const isThere = typeof schema === 'object' && schema !== null && Object.hasOwn(schema, key);
    if (!isThere) throw refuse(`cannot be resolved: ${shown}`);
    const next = (schema as Readonly<Record<string, unknown>>)[key];
    found = { schema: next, path: childPath(found.path, Array.isArray(schema) ? Number(key) : key) };
  }
  if (typeof found.schema !== 'boolean' && !isJsonObject(found.schema))
    throw refuse(`does not point to a schema: ${shown}`);
  return found;
}

function decodeSegment(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
