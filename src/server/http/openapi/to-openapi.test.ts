import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { ollamaDialect } from '../../dialects/shared/ollama-dialect.ts';
import type { Route } from '../route.ts';
import { type Operation, toOpenApi } from './to-openapi.ts';

function operationOf(route: Partial<Route>): Operation | undefined {
  const common = {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    summary: 'Do it',
    handle: () => ({}),
  } as const;
  const { paths } = toOpenApi([{ ...common, path: '/things/:id', ...route }], { version: '1.2.3', operations: {} });
  return paths['/things/{id}']?.['get'];
}

test('parameters have the schemas of the route', () => {
  const params = { id: Type.String({ documented: { pattern: '^[a-z]$' } }) };
  const query = { size: Type.Integer({ minimum: 1, description: 'In tokens.' }) };
  expect(operationOf({ params, query })?.parameters).toEqual([
    { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]$' } },
    { name: 'size', in: 'query', description: 'In tokens.', schema: { type: 'integer', minimum: 1 } },
  ]);
});

test('a parameter of the path is a string, whatever the route says', () => {
  expect(operationOf({})?.parameters).toMatchObject([{ name: 'id', schema: { type: 'string' } }]);
});

test('failures have their reasons and the schema of errors', () => {
  const { responses } = operationOf({ failures: { 502: 'It is away' } }) ?? {};
  expect(Object.keys(responses ?? {})).toEqual(['200', '502', 'default']);
  expect(responses?.['502']).toEqual({ ...responses?.['default'], description: 'It is away' });
});

test('what only the server reads is left out, in responses too', () => {
  const response = Type.Object({ size: Type.Integer({ documented: { maximum: 9 }, zeroIsAbsent: true }) });
  const document = JSON.stringify(operationOf({ response, streams: response }));
  expect(document).toContain('"maximum":9');
  expect(document).not.toMatch(/documented|zeroIsAbsent/);
});
