import { expect, test } from 'vitest';
import { findOperation, toAddress, toCurl } from './operation.ts';

const document = {
  paths: {
    '/api/tags': { get: { operationId: 'getTags' } },
    '/v1/models/{id}': {
      delete: { operationId: 'deleteModel', parameters: [{ name: 'id', in: 'path' as const, example: 'ember' }] },
    },
    '/api/chat': {
      post: {
        operationId: 'postChat',
        requestBody: { content: { 'application/json': { example: { model: 'ember' } } } },
      },
    },
  },
};

test('an operation is found by its id', () => {
  expect(findOperation(document, 'getTags')).toEqual({ method: 'GET', path: '/api/tags', parameters: [] });
  expect(findOperation(document, 'postChat')).toMatchObject({ method: 'POST', body: '{\n  "model": "ember"\n}' });
  expect(findOperation(document, 'other')).toBeUndefined();
});

test('values become parts of the address', () => {
  const parameters = [
    { name: 'id', in: 'path' as const },
    { name: 'by', in: 'query' as const },
    { name: 'since', in: 'query' as const },
  ];
  expect(toAddress({ path: '/x/{id}/y', parameters }, { id: 'a/b', by: 'a&b', since: '' })).toBe('/x/a%2Fb/y?by=a%26b');
  expect(toAddress({ path: '/x', parameters: [] }, { by: 'day' })).toBe('/x');
});

test.each([
  [{ method: 'GET', url: 'http://h/a' }, "curl 'http://h/a'"],
  [{ method: 'HEAD', url: 'http://h/a' }, "curl -I 'http://h/a'"],
  [{ method: 'POST', url: 'http://h/a' }, "curl -X POST 'http://h/a'"],
  [{ method: 'POST', url: 'http://h/a', body: `{"a":"it's"}` }, `curl 'http://h/a' -d '{"a":"it'\\''s"}'`],
  [{ method: 'DELETE', url: 'http://h/a', body: '{}' }, "curl -X DELETE 'http://h/a' -d '{}'"],
])('%j', (request, expected) => {
  expect(toCurl(request)).toBe(expected);
});
