// The functions that templates can call. More of Go's come with the whole template engine.

export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [name: string]: Value };

export type TemplateFunction = (...values: readonly Value[]) => Value;

/** Go's truth: not empty, not zero. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function printValue(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? json(value) : String(value);
}

// As Go writes JSON: keys sorted, and safe to stand in HTML.
function json(value: Value): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function compare(a: Value, b: Value): number {
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string'))
    throw new Error('incompatible types for comparison');
  if (a === b) return 0;
  return a < (b as typeof a) ? -1 : 1;
}

function lengthOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new Error(`len of ${value === null || value === undefined ? 'nil' : typeof value}`);
}

function indexOne(value: Value, key: Value): Value {
  if (Array.isArray(value)) {
    if (typeof key !== 'number' || key < 0 || key >= value.length)
      throw new Error(`index out of range: ${String(key)}`);
    return value[key];
  }
  if (typeof value === 'object' && value !== null && typeof key === 'string')
    return Object.hasOwn(value, key) ? (value as Record<string, Value>)[key] : undefined;
  throw new Error(`cannot index ${typeof value}`);
}

function sliceOf(value: Value, from: Value = 0, to?: Value): Value {
  const end = to ?? (value === undefined ? 0 : lengthOf(value));
  if (!Array.isArray(value) && typeof value !== 'string') throw new Error(`cannot slice ${typeof value}`);
  if (typeof from !== 'number' || typeof end !== 'number' || from < 0 || end > value.length || from > end)
    throw new Error('slice out of range');
  return value.slice(from, end);
}

/** `and` and `or` are not here: they do not evaluate what they do not need. */
export const functions: Readonly<Record<string, TemplateFunction>> = {
  not: (value) => !isTrue(value),
  eq: (first, ...others) => others.some((other) => other === first),
  ne: (a, b) => a !== b,
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  len: lengthOf,
  index: (value, ...keys) => keys.reduce(indexOne, value),
  slice: sliceOf,
  print: (...values) => values.map(printValue).join(''),
  json,
};
