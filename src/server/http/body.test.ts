import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { parseBody, pickFields, UnknownFields } from './body.ts';

const parse = (text: string) => parseBody(Buffer.from(text));

describe('parseBody', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['  {"a":1}\n', { a: 1 }],
    ['{"a":1} and trailing text is ignored', { a: 1 }],
    ['{"a":"}{"}{"a":2}', { a: '}{' }],
    ['{"a":"\\"}"} x', { a: '"}' }],
    ['{"a":[{"b":[]}]}]', { a: [{ b: [] }] }],
    ['{"a":"at position 3, after JSON at position 2"} {', { a: 'at position 3, after JSON at position 2' }],
    ['{"a":"\u{1f600}é"}\0', { a: '\u{1f600}é' }],
    [' \n{"a":"\\\\","b":{}},', { a: '\\', b: {} }],
    ['{}}{', {}],
  ])('%s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test('an empty body counts as missing', () => {
    expect(() => parseBody(Buffer.alloc(0))).toThrow('missing request body');
    expect(() => parseBody(undefined)).toThrow('missing request body');
  });

  test.each(['{', '{"a":', '{"a":1', 'hello', '{a:1}', "{'a':1}", '{"a":1}}'.slice(0, 6)])(
    '%j is not valid JSON',
    (text) => {
      expect(() => parse(text)).toThrow('the request body is not valid JSON');
    },
  );

  test.each(['[]', '"text"', '1', 'null', 'true', '"text" {"a":1}', '[{}] x', '-1.5e3 x', 'null x'])(
    '%s is not an object',
    (text) => {
      expect(() => parse(text)).toThrow('must be a JSON object');
    },
  );

  test('an unterminated string takes linear time', () => {
    // In quadratic time this would take hours.
    expect(() => parse(`{${'"\\'.repeat(1_000_000)}`)).toThrow('not valid JSON');
  });

  test.each([
    ['156 KiB of quotes', `{${'"'.repeat(156 * 1024)}`],
    ['an unclosed string of 30 MiB', `{"a":"${'x'.repeat(30 * 2 ** 20)}`],
    ['30 MiB of escapes', `{"a":"${'\\\\'.repeat(15 * 2 ** 20)}`],
    ['a million open objects', '{"a":'.repeat(1_000_000)],
    ['a million open arrays', `{"a":${'['.repeat(1_000_000)}`],
  ])('%s: an error in linear time', (_, text) => {
    // In quadratic time these would take minutes.
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  test('an error does not quote the body', () => {
    expect(() => parse('{"a": my secret}')).toThrow(/JSON: Unexpected token 'm'$/);
  });

  test('a long string does not overflow the stack', () => {
    expect(parse(`{"a":"${'x'.repeat(10_000_000)}"} trailing`)).toHaveProperty('a');
  });

  test('deep nesting does not overflow the stack', () => {
    expect(() => parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)} x`)).not.toThrow();
  });
});

describe('pickFields', () => {
  const schema = Type.Object({ model: Type.String(), keep_alive: Type.Unknown() });

  test('names match in any case, an exact one wins; unknown names and nulls are left out', () => {
    expect(pickFields(schema, { MODEL: 'a', Keep_Alive: 5, other: 1 })).toEqual({ model: 'a', keep_alive: 5 });
    expect(pickFields(schema, { MODEL: 'a', model: 'b' })).toEqual({ model: 'b' });
    expect(pickFields(schema, { model: null })).toEqual({});
  });

  test('names of inherited properties are ignored', () => {
    expect(pickFields(schema, JSON.parse('{"__proto__": {"model": "x"}, "constructor": 1}'))).toEqual({});
  });

  const annotated = Type.Object({
    text: Type.Optional(Type.String()),
    list: Type.Optional(Type.Array(Type.Object({ name: Type.Optional(Type.String()), size: Type.Integer() }))),
    format: Type.Optional(Type.Unknown({ emptyValues: ['object'] })),
    limit: Type.Optional(Type.Integer({ zeroIsAbsent: true })),
    seed: Type.Optional(Type.Integer()),
    flag: Type.Optional(Type.Boolean()),
    needed: Type.String(),
  });

  test.each([
    [{ text: '', list: [], format: '', limit: 0 }, {}],
    [{ text: {}, list: {} }, {}],
    [
      { format: {}, limit: 1, seed: 0, flag: false },
      { format: {}, limit: 1, seed: 0, flag: false },
    ],
    [{ list: [{ name: '', size: 0 }, {}] }, { list: [{ size: 0 }, {}] }],
    [{ needed: '' }, { needed: '' }],
    [{ needed: null }, {}],
  ])('empty values are absent unless the schema says otherwise: %j', (body, expected) => {
    expect(pickFields(annotated, body)).toEqual(expected);
  });
});

describe('unknown fields', () => {
  const schema = Type.Object({
    model: Type.Optional(Type.String()),
    list: Type.Optional(Type.Array(Type.Object({ a: Type.Optional(Type.String()) }))),
    any: Type.Optional(Type.Unknown()),
  });
  const unknownIn = (body: Record<string, unknown>): readonly string[] => {
    const unknown = new UnknownFields();
    pickFields(schema, body, unknown);
    return unknown.paths;
  };

  test('are named by path, once, also in lists', () => {
    const list = [
      { a: 'x', b: 1 },
      { B: false, b: 2 },
    ];
    expect(unknownIn({ MODEL: 'm', color: 0, list, any: { c: 1 } })).toEqual(['color', 'list[].b', 'list[].B']);
  });

  test('that are not set are not named', () => {
    expect(unknownIn({ color: null, shape: '', sizes: [], options: {} })).toEqual([]);
  });

  test('of any number take little memory', () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]));
    expect(unknownIn(body)).toHaveLength(32);
  });
});
