// Several schemas in one document: each is found under a path of its own, and so are the schemas that it refers to.

// An anchor is found wherever its schema is.
const pointers: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** The schema after it was moved to `root`, for example #/$defs/1. The depth of the value must be limited. */
export function moveReferences(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveReferences(item, root));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      pointers.has(key) && typeof item === 'string' && /^#(?:\/|$)/.test(item)
        ? root + item.slice(1)
        : moveReferences(item, root),
    ]),
  );
}
