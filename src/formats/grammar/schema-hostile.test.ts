// Random and hostile schemas result in a correct grammar or in a refusal, in bounded time.

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { seededRandom } from '../../../test/support/grammar/gbnf-sampler.ts';
import { schemaArbitrary } from '../../../test/support/grammar/schema-arbitrary.ts';
import { validatorOf } from '../../../test/support/grammar/validator.ts';
import { thoroughly } from '../../../test/support/thorough.ts';
import { HearthError } from '../../base/errors.ts';
import { childPath } from './limits/schema-error.ts';
import { convertSchema, type SchemaGrammar } from './schema.ts';

// The properties take long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

function grammarOrRefusal(schema: unknown): SchemaGrammar | HearthError {
  try {
    return convertSchema(schema);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'bad_request') return error;
    throw error;
  }
}

function isRefused(schema: unknown): boolean {
  return grammarOrRefusal(schema) instanceof HearthError;
}

/** Undefined if ajv recurses without end in an unused definition. */
function validatorIfAny(schema: unknown): ReturnType<typeof validatorOf> | undefined {
  try {
    return validatorOf(schema);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The schema without the keywords at these paths. */
function without(paths: ReadonlySet<string>, value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => without(paths, entry, childPath(path, index)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !paths.has(childPath(path, key)));
  return Object.fromEntries(members.map(([key, member]) => [key, without(paths, member, childPath(path, key))]));
}

test('random schemas: ajv accepts sampled texts, apart from the keywords that are reported', () => {
  let kept = 0;
  let reported = 0;
  const property = fc.property(schemaArbitrary, fc.integer(), (schema, seed) => {
    const converted = grammarOrRefusal(schema);
    if (converted instanceof HearthError) return;
    kept++;
    const { grammar, unenforced } = converted;
    if (unenforced.length > 0) reported++;
    const validate = validatorIfAny(without(new Set(unenforced), schema));
    const gbnf = parseGbnf(grammar);
    const random = seededRandom(seed);
    for (let count = 0; validate && count < 10; count++) {
      const text = gbnf.sample(random);
      // If a schema refers to itself twice, the time of ajv doubles with each level of the value.
      if (text.length < 1000 && !validate(JSON.parse(text)))
        throw new Error(`${text} does not satisfy it: ${JSON.stringify(validate.errors)}`);
    }
  });
  fc.assert(property, { numRuns: thoroughly(300, 120) });
  expect(kept).toBeGreaterThan(50);
  expect(reported).toBeGreaterThan(20);
});

test('random values and keywords', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    '$ref',
    'enum',
    'pattern',
    'minimum',
    'allOf',
    'anyOf',
    'required',
  );
  const wild = fc.oneof(
    fc.anything(),
    fc.dictionary(keyword, fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue()))),
  );
  fc.assert(
    fc.property(wild, (schema) => void grammarOrRefusal(schema)),
    { numRuns: thoroughly(300, 120) },
  );
});

test('random patterns match sampled texts', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '[^a]',
    '\\d',
    '.',
    '(',
    ')',
    '(?:',
    '|',
    '*',
    '+',
    '?',
    '{2}',
    '{1,3}',
    '^',
    '$',
    '\\w',
    '(?!',
    '"',
    '\\\\',
  );
  const pattern = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const property = fc.property(
    pattern,
    fc.integer(),
    fc.constantFrom({}, { minLength: 3 }, { maxLength: 4 }),
    (source, seed, more) => {
      const grammar = grammarOrRefusal({ type: 'string', pattern: source, ...more });
      if (typeof grammar !== 'string') return;
      const gbnf = parseGbnf(grammar);
      const random = seededRandom(seed);
      for (let count = 0; count < 5; count++) {
        const drawn = JSON.parse(gbnf.sample(random)) as string;
        expect(new RegExp(source, 'u').test(drawn), `${source}: ${JSON.stringify(drawn)}`).toBe(true);
      }
    },
  );
  fc.assert(property, { numRuns: thoroughly(500, 200) });
});

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let schema: unknown = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
};
const chain = (length: number, link: (next: object) => object): object => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_, index) => [`d${index}`, link({ $ref: `#/$defs/d${index + 1}` })]),
    [`d${length}`, { type: 'string' }],
  ]),
});
const numbered = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('refuses schemas above a limit', () => {
  test.each<[string, unknown]>([
    ['depth', nested(100_000, (inner) => ({ items: inner }))],
    ['values', { enum: numbered(60_000, (index) => index) }],
    ['text', { const: 'x'.repeat(1_000_000) }],
    ['consecutive references', chain(500, (next) => next)],
    [
      'alternatives',
      { allOf: numbered(12, (index) => ({ anyOf: [{ minLength: index }, { maxLength: 100 + index }] })) },
    ],
    [
      'repetitions',
      {
        type: 'array',
        items: { type: 'array', items: { type: 'string', maxLength: 90_000 }, maxItems: 90_000 },
        maxItems: 1e6,
      },
    ],
    [
      'repetitions everywhere',
      {
        type: 'object',
        properties: Object.fromEntries(
          numbered(2000, (index) => [`p${index}`, { type: 'string', maxLength: 1000 + index }]),
        ),
      },
    ],
    ['automaton states', { type: 'string', pattern: 'a.{40}b.{40}c', maxLength: 1000 }],
    ['automaton states of lookaheads', { type: 'string', pattern: '^(?=.*a.{18}$)(?=.*b.{17}$).*$' }],
    [
      'repetitions in a pattern',
      { type: 'string', pattern: `^${'('.repeat(20)}a${'{1,9})'.repeat(20)}$`, maxLength: 5 },
    ],
    [
      'counted members',
      {
        type: 'object',
        properties: Object.fromEntries(numbered(900, (index) => [`p${index}`, true])),
        minProperties: 300,
      },
    ],
    [
      'a circular object',
      (() => {
        const own: Record<string, unknown> = {};
        own['items'] = own;
        return own;
      })(),
    ],
    [
      'ambiguity',
      chain(40, (next) => ({
        type: 'object',
        properties: { a: next, b: { type: 'string' } },
        anyOf: [{ minProperties: 1 }, { properties: { c: { type: 'null' } } }],
      })),
    ],
  ])('%s', (_, schema) => {
    expect(isRefused(schema)).toBe(true);
  });
});

test('a negation of references that multiply is not enforced', () => {
  const schema = chain(12, (next) => ({ anyOf: Array(10).fill(next) }));
  const { $ref, $defs } = schema as { readonly $ref: string; readonly $defs: object };
  expect(convertSchema({ type: 'string', not: { $ref }, $defs }).unenforced).toEqual(['not']);
});

describe('accepts large schemas within the limits', () => {
  test.each<[string, unknown]>([
    ['depth by references', chain(3000, (next) => ({ type: 'object', properties: { a: next }, required: ['a'] }))],
    ['anyOf of equal references, many times', chain(60, (next) => ({ anyOf: [next, next] }))],
    [
      'alternatives of references',
      chain(60, (next) => ({ allOf: [{ anyOf: [next, { minLength: 1 }] }, { anyOf: [next, { minLength: 2 }] }] })),
    ],
    ['allOf of equal references, many times', chain(60, (next) => ({ allOf: [next, next] }))],
    ['values', { enum: numbered(10_000, (index) => `value ${index}`) }],
    ['alternatives', { anyOf: numbered(900, (index) => ({ const: index })) }],
    [
      'members',
      { type: 'object', properties: Object.fromEntries(numbered(300, (index) => [`p${index}`, { type: 'integer' }])) },
    ],
    [
      'required members',
      {
        type: 'object',
        properties: Object.fromEntries(numbered(2000, (index) => [`p${index}`, true])),
        required: numbered(2000, (index) => `p${index}`),
      },
    ],
    [
      'many declared names to exclude from extra members',
      {
        type: 'object',
        properties: Object.fromEntries(numbered(300, (index) => [`property${index}`, true])),
        additionalProperties: true,
      },
    ],
    ['a pattern that makes backtracking matchers slow', { enum: ['a'.repeat(5000)], pattern: '^(a+)+$' }],
    [
      'a pattern with many branches',
      { type: 'string', pattern: `^(?:${numbered(300, (index) => `w${index}`).join('|')})$` },
    ],
    ['empty repetitions in a pattern', { type: 'string', pattern: `^${'(?:'.repeat(25)}a${'b?)*'.repeat(25)}$` }],
    ['lengths', { type: 'string', minLength: 50_000, maxLength: 100_000 }],
  ])('%s', (_, schema) => {
    expect(isRefused(schema)).toBe(false);
  });
});
