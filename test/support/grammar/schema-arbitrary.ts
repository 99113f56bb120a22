// Random schemas with valid keywords, small enough that some can be satisfied.

import fc from 'fast-check';

const names = fc.constantFrom('a', 'b', 'c', 'ab', 'x"y');
const small = fc.integer({ min: 0, max: 4 });
const bound = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.integer({ min: -300, max: 300 }).map((value) => value / 100),
);
const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -3, 1.5, '', 'a', 'ab', 'é"'),
  fc.constantFrom<unknown>([], [1], ['a', 1], {}, { a: 1 }, { a: 'a', b: 2 }),
);
const patterns = fc.constantFrom(
  '^a',
  'b$',
  '^[ab]*$',
  'a|b',
  '^(?!b).+$',
  '^\\w{1,3}$',
  'é',
  '^[^a]+$',
  '(^|b)a',
  '(?:a$|^b)',
);
const formats = fc.constantFrom('date', 'time', 'ipv4', 'uuid', 'email', 'nonsense');
const types = fc.constantFrom('null', 'boolean', 'string', 'number', 'integer', 'object', 'array');

const optional = <Value>(arbitrary: fc.Arbitrary<Value>, weight = 3) =>
  fc.option(arbitrary, { freq: weight, nil: undefined });
const compact = (record: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(record).filter(([, member]) => member !== undefined));
const record = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model).map(compact);

const { schema } = fc.letrec<{ schema: unknown; leaf: unknown; node: unknown }>((tie) => {
  const inner = tie('schema');
  return {
    schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('node')),
    leaf: fc.oneof(
      record({
        type: fc.constant('string'),
        minLength: optional(small),
        maxLength: optional(small),
        pattern: optional(patterns),
        format: optional(formats, 8),
      }),
      record({
        type: fc.constantFrom('integer', 'number'),
        minimum: optional(bound),
        maximum: optional(bound),
        exclusiveMinimum: optional(bound, 6),
        exclusiveMaximum: optional(bound, 6),
        multipleOf: optional(fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(0.5, 100, 150)), 4),
      }),
      record({
        type: optional(types),
        enum: optional(fc.array(value, { minLength: 1, maxLength: 4 })),
        const: optional(value, 8),
      }),
      record({ type: fc.array(types, { minLength: 1, maxLength: 3 }) }),
      fc.constantFrom<unknown>(true, {}, { $ref: '#' }, { $ref: '#/$defs/one' }, { $ref: '#/$defs/two' }, { not: {} }),
      record({
        type: optional(types),
        not: optional(fc.constantFrom<unknown>({ const: 1 }, { type: 'string' }, { minimum: 0 }, false)),
        if: optional(fc.constantFrom({ minimum: 1 }, { type: 'object' }, { properties: { a: { const: 'a' } } }, {}), 6),
        // biome-ignore lint/suspicious/noThenProperty: a keyword
        then: optional(fc.constantFrom({ minimum: 2 }, { required: ['b'] }, { maxLength: 1 }), 6),
        else: optional(fc.constantFrom({ maximum: 2 }, { type: 'string' }, false), 6),
        format: optional(fc.constant('regex'), 10),
      }),
    ),
    node: fc.oneof(
      record({
        type: optional(fc.constant('object'), 1),
        properties: optional(fc.dictionary(names, inner, { maxKeys: 3 }), 1),
        required: optional(fc.uniqueArray(names, { maxLength: 2 })),
        additionalProperties: optional(inner),
        patternProperties: optional(fc.dictionary(patterns, inner, { maxKeys: 1 }), 8),
        propertyNames: optional(fc.constantFrom({ pattern: '^[a-c]' }, { maxLength: 2 }, { enum: ['a', 'q'] }), 8),
        minProperties: optional(small, 6),
        maxProperties: optional(small, 6),
        unevaluatedProperties: optional(fc.oneof(fc.boolean(), fc.constant({ type: 'null' })), 10),
        not: optional(inner, 8),
        dependentRequired: optional(fc.constantFrom({ a: ['b'] }, {}), 10),
        dependentSchemas: optional(fc.constantFrom({ a: { minProperties: 2 } }), 10),
      }),
      record({
        type: fc.constant('array'),
        items: optional(inner),
        prefixItems: optional(fc.array(inner, { maxLength: 3 }), 5),
        minItems: optional(small),
        maxItems: optional(small),
        uniqueItems: optional(fc.boolean(), 4),
        contains: optional(inner, 8),
        unevaluatedItems: optional(fc.boolean(), 10),
      }),
      record({
        type: fc.constant('array'),
        items: fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 9 }) }),
        uniqueItems: fc.constant(true),
        minItems: optional(small),
        maxItems: optional(small),
      }),
      record({
        anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
        type: optional(types, 6),
        properties: optional(fc.dictionary(names, inner, { maxKeys: 2 }), 6),
      }),
      record({
        oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
        required: optional(fc.uniqueArray(names, { maxLength: 2 }), 6),
      }),
      record({
        allOf: fc.array(inner, { minLength: 1, maxLength: 3 }),
        $ref: optional(fc.constantFrom('#/$defs/one', '#/$defs/two'), 6),
        title: optional(fc.string()),
      }),
    ),
  };
});

export const schemaArbitrary = fc.tuple(schema, schema, schema).map(([root, one, two]) => {
  const body = typeof root === 'object' && root !== null ? root : { allOf: [root] };
  return { ...body, $defs: { one, two } };
});
