// Random values that satisfy a JSON schema, for the keywords that the API's documentation uses.

import fc from 'fast-check';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly contentEncoding?: string;
}

const maxSide = 3;

export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = maxSide } = schema;
      return fc.array(arbitraryOf(items), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, maxSide)),
      });
    }
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function stringOf({ pattern, minLength = 0, contentEncoding }: Schema): fc.Arbitrary<string> {
  if (contentEncoding === 'base64') return fc.base64String({ maxLength: 40 });
  return pattern === undefined
    ? fc.string({ minLength, maxLength: Math.max(minLength, 20) })
    : fc.stringMatching(new RegExp(pattern));
}

function objectOf({ properties = {}, patternProperties = {}, additionalProperties, required = [] }: Schema) {
  const declared = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, arbitraryOf(member)]));
  const requiredKeys = required.filter((name) => Object.hasOwn(declared, name));
  const open = typeof additionalProperties === 'object' ? { '^[a-z]{1,5}$': additionalProperties } : {};
  const others = Object.entries({ ...patternProperties, ...open }).map(([pattern, member]) =>
    fc.dictionary(fc.stringMatching(new RegExp(pattern)), arbitraryOf(member), { maxKeys: 2 }),
  );
  return fc
    .tuple(fc.record(declared, { requiredKeys }), ...others)
    .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);
}
