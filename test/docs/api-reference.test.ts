// The parts of docs/reference/api.md: examples, commands and tables.

import { execFileSync } from 'node:child_process';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { type ApiExample, apiExamples } from '../../scripts/reference/api-examples.mjs';
import { type CurlRoute, toCurl } from '../../scripts/reference/curl-command.mjs';
import { listFields } from '../../scripts/reference/list-fields.mjs';
import { listRoutes, type RouteParts } from '../../src/server/compose/list-routes.ts';
import { fieldKeywords } from '../../src/server/http/field-schema.ts';

// The services are not called.
const parts = {
  settings: {},
  version: '',
  generation: {},
  transfers: {},
  engine: {},
  access: {},
  chats: {},
  resumable: {},
};
const routes = listRoutes(parts as unknown as RouteParts).map((route) => ({
  route,
  line: `${route.method} ${route.path}`,
}));
const ajv = new Ajv2020({ strict: false, allErrors: true, keywords: [...fieldKeywords] });

test('every route has an example, and every example a route', () => {
  expect(Object.keys(apiExamples).sort()).toEqual(routes.map(({ line }) => line).sort());
});

test.each(routes)('the example of $line is valid', ({ route, line }) => {
  const { path = {}, query = {}, body, file } = apiExamples[line] ?? {};
  const open = [...route.path.matchAll(/:(\w+)|\*/g)].map(([, name = 'id']) => name);
  expect(Object.keys(path)).toEqual(open);
  expect(Object.keys(route.query ?? {})).toEqual(expect.arrayContaining(Object.keys(query)));
  expect(body !== undefined).toBe(route.body !== undefined);
  expect(file !== undefined).toBe(route.readsBody === true);
  if (route.body === undefined) return;
  const validate = ajv.compile(route.body);
  expect([validate(body), validate.errors]).toEqual([true, null]);
  // A field that the schema does not have would be a typing error.
  expect(Object.keys(route.body.properties)).toEqual(expect.arrayContaining(Object.keys(body ?? {})));
});

describe('a request as a command', () => {
  const address = 'http://127.0.0.1:11434';
  const route = (method: string, path = '/a'): CurlRoute => ({ method, path });

  test.each<[string, CurlRoute, ApiExample]>([
    ['curl http://127.0.0.1:11434/a', route('GET'), {}],
    ['curl --head http://127.0.0.1:11434/a', route('HEAD'), {}],
    ['curl -X POST http://127.0.0.1:11434/a', route('POST'), {}],
    [`curl http://127.0.0.1:11434/a -d '{"a": [1, 2], "b": {}}'`, route('POST'), { body: { a: [1, 2], b: {} } }],
    ['curl http://127.0.0.1:11434/a --data-binary @weights.gguf', route('POST'), { file: 'weights.gguf' }],
    [`curl -X DELETE http://127.0.0.1:11434/a -d '{"model": "x"}'`, route('DELETE'), { body: { model: 'x' } }],
    ['curl http://127.0.0.1:11434/a/b:c/d', route('GET', '/a/{id}/d'), { path: { id: 'b:c' } }],
    [`curl 'http://127.0.0.1:11434/a?by=a%20day&since=7d'`, route('GET'), { query: { by: 'a day', since: '7d' } }],
  ])('%s', (command, target, example) => {
    expect(toCurl(target, example, address)).toBe(command);
  });

  test.each([
    { text: "it's", list: [{ a: [] }, {}] },
    { text: 'a\nb { c } [ d ]', other: '$HOME `x` "quoted"' },
    { text: 'x'.repeat(200), list: ['y'.repeat(50), 'z'.repeat(50), null, 1.5, true] },
  ])('a shell reads the body as it is: %j', (body) => {
    const [, ...words] = toCurl(route('POST'), { body }, address).split(' -d ');
    const read = execFileSync('sh', ['-c', `printf %s ${words.join(' -d ')}`], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual(body);
  });
});

describe('the fields of a schema', () => {
  const lines = (schema: object): string[] => listFields(schema).map(({ path, type }) => `${path}: ${type}`);

  test('nested fields follow the field that has them', () => {
    const schema = Type.Object({
      messages: Type.Array(Type.Object({ role: Type.String() }), { description: 'The conversation.' }),
      format: Type.Optional(Type.Object({ type: Type.Literal('json') })),
    });
    expect(listFields(schema)).toEqual([
      { path: 'messages', type: 'array of object', required: true, description: 'The conversation.' },
      { path: 'messages[].role', type: 'string', required: true, description: '' },
      { path: 'format', type: 'object', required: false, description: '' },
      { path: 'format.type', type: '"json"', required: true, description: '' },
    ]);
  });

  test('forms of an object are merged', () => {
    const content = Type.Union([
      Type.String(),
      Type.Array(Type.Object({ type: Type.String(), text: Type.String() })),
      Type.Array(Type.Object({ type: Type.String(), image: Type.String() })),
    ]);
    expect(lines(Type.Object({ content }))).toEqual([
      'content: string or array of object',
      'content[].type: string',
      'content[].text: string',
      'content[].image: string',
    ]);
  });

  test('an array of objects, and choices', () => {
    const choice = { type: 'object', properties: { size: { enum: ['small', 'large'] }, any: {} } };
    expect(lines({ type: 'array', items: choice })).toEqual(['[].size: "small" or "large"', '[].any: any']);
  });
});
