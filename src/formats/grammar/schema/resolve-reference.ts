// What a `$ref` points to, inside the same schema.

import { pathOf, schemaError } from '../schema-error.ts';
import { isJsonObject } from './json-value.ts';

/** A schema and where it stands. */
export interface Located {
  readonly schema: unknown;
  readonly path: string;
}

export function resolveReference(root: unknown, reference: string, path: string): Located {
  const refuse = (reason: string) => schemaError(pathOf(path, '$ref'), reason);
  const shown = JSON.stringify(reference.slice(0, 100));
  if (!reference.startsWith('#')) throw refuse(`points outside of the schema, which is not supported: ${shown}`);
  if (reference !== '#' && !reference.startsWith('#/')) throw refuse(`is no path such as #/$defs/name: ${shown}`);
  let found: Located = { schema: root, path: '' };
  for (const step of reference.split('/').slice(1)) {
    const key = decodeStep(step);
    const { schema } = found;
    const isThere = typeof schema === 'object' && schema !== null && Object.hasOwn(schema, key);
    if (!isThere) throw refuse(`points to nothing: ${shown}`);
    const next = (schema as Readonly<Record<string, unknown>>)[key];
    found = { schema: next, path: pathOf(found.path, Array.isArray(schema) ? Number(key) : key) };
  }
  if (typeof found.schema !== 'boolean' && !isJsonObject(found.schema)) throw refuse(`points to no schema: ${shown}`);
  return found;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
