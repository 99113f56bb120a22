import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../base/errors.ts';
import { ClientError } from '../../client/client-error.ts';
import type { TagsResponseBody } from '../../server/dialects/ollama/models/tags-schema.ts';
import { explain, isModelMissing, withModelHint } from './explain.ts';

describe('explain', () => {
  test.each([
    [
      'adds the next step if no server is running',
      new ClientError('unreachable', 'no server at http://x'),
      '`hearth serve`',
    ],
    ['returns other messages unchanged', new ClientError('refused', 'disk full', { status: 507 }), 'disk full'],
    [
      'names the file of a system error',
      Object.assign(new Error('ENOTDIR: not a directory, open'), { code: 'ENOTDIR', path: '/a/b' }),
      '/a/b: a part of the path is a file, not a folder',
    ],
    ['removes escape sequences', new Error('a\u001b[2Jb'), 'a[2Jb'],
  ])('%s', (_, error, text) => {
    expect(explain(error)).toContain(text);
  });
});

describe('isModelMissing', () => {
  const refused = (message: string, status?: number, code?: ErrorCode): ClientError =>
    new ClientError('refused', message, { status, code });

  test.each([
    ['by its code, whatever the message is', refused('nothing here', 404, 'model_not_found'), true],
    ['by its code in a stream', refused('nothing here', undefined, 'model_not_found'), true],
    ['not with another code, whatever the message is', refused("model 'x' not found", 404, 'blob_not_found'), false],
    ['by the message of Ollama for show', refused("model 'x' not found", 404), true],
    ['by the message of Ollama for generate', refused('model "x" not found, try pulling it first', 404), true],
    ['not for an unknown path of Ollama', refused('404 page not found', 404), false],
    ['not for another status', refused("model 'x' not found", 500), false],
    ['not if no server is running', new ClientError('unreachable', "model 'x' not found"), false],
  ])('recognizes a missing model %s', (_, error, expected) => {
    expect(isModelMissing(error)).toBe(expected);
  });
});

describe('withModelHint', () => {
  const server = {
    list: async () => ({ models: [{ name: 'ember:latest' }] as unknown as TagsResponseBody['models'] }),
  };
  const missing = new ClientError('refused', 'nothing here', { status: 404, code: 'model_not_found' });

  test('names the model that a mistyped name means', async () => {
    const call = withModelHint(server, 'embr', Promise.reject(missing));
    await expect(call).rejects.toThrow(/^model 'embr' not found\. Did you mean 'ember'\?$/);
  });

  test('suggests a pull if the server does not list its models', async () => {
    const silent = { list: () => Promise.reject(new Error('no')) };
    await expect(withModelHint(silent, 'embr', Promise.reject(missing))).rejects.toThrow('try `hearth pull embr`');
  });

  test.each([
    ['pull', "model 'x' not found: try `hearth pull x`"],
    ['list', "model 'x' not found: `hearth list` shows the installed models"],
  ] as const)('suggests %s for a missing model', async (next, message) => {
    await expect(withModelHint(server, 'x', Promise.reject(missing), next)).rejects.toThrow(message);
  });

  test('leaves other errors unchanged', async () => {
    const error = new ClientError('refused', 'path /x not found', { status: 404, code: 'path_not_found' });
    await expect(withModelHint(server, 'x', Promise.reject(error))).rejects.toBe(error);
  });
});
