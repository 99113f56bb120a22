// The parts of docs/reference/api.md: commands and tables.

import { execFileSync } from 'node:child_process';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { type CurlRoute, toCurl } from '../../scripts/reference/curl-command.mjs';
import { listFields } from '../../scripts/reference/list-fields.mjs';
import type { OperationExample } from '../../src/server/http/openapi/operation.ts';

describe('a request as a command', () => {
  const address = 'http://127.0.0.1:11434';
  const route = (method: string, path = '/a'): CurlRoute => ({ method, path });

  test.each<[string, CurlRoute, OperationExample]>([
    ['curl http://127.0.0.1:11434/a', route('GET'), {}],
    [`curl http://127.0.0.1:11434/a -H 'x-id: 1'`, route('GET'), { headers: { 'x-id': '1' } }],
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
