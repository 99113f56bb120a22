import { expect, test } from 'vitest';
import { fromNetwork, fromStatus } from './remote-error.ts';

test.each([
  [400, 'bad_request', 'refused', 'the remote "gpu" refused the request: too bad'],
  [401, 'remote_denied', 'failed', 'the remote "gpu" denied access: its key is missing or wrong'],
  [403, 'remote_denied', 'failed', 'the remote "gpu" denied access: its key is missing or wrong'],
  [404, 'remote_failed', 'failed', 'the remote "gpu" does not have the model or the path: too bad'],
  [413, 'body_too_large', 'refused', 'the remote "gpu" refused the request: too bad'],
  [422, 'bad_request', 'refused', 'the remote "gpu" refused the request: too bad'],
  [429, 'busy', 'busy', 'the remote "gpu" is busy: too bad'],
  [500, 'remote_failed', 'failed', 'the remote "gpu" failed: too bad'],
  [503, 'busy', 'busy', 'the remote "gpu" is busy: too bad'],
  [508, 'remote_loop', 'refused', 'the remote "gpu" refused the request: too bad'],
  [302, 'remote_failed', 'failed', 'the remote "gpu" redirects to another address, which is not followed'],
])('status %i is %s for the caller', (status, code, outcome, message) => {
  const error = fromStatus('gpu', status, '{"error":{"message":"too bad","code":1}}');
  expect(error).toMatchObject({ code, outcome, message });
});

test.each([
  ['{"error":"Unauthorized"}', 'Unauthorized'],
  ['{"detail":"Not Found"}', 'Not Found'],
  ['{"message":"no"}', 'no'],
  ['{}', 'it gave no reason'],
  ['<html>', 'status 500'],
])('the message of %s is found', (text, message) => {
  expect(fromStatus('gpu', 500, text).message).toBe(`the remote "gpu" failed: ${message}`);
});

test.each(["This model's maximum context length is 2048 tokens.", 'the request exceeds the available context size'])(
  'a prompt that is too long has a code of its own: %s',
  (message) => {
    expect(fromStatus('gpu', 400, JSON.stringify({ error: { message } })).code).toBe('prompt_too_long');
  },
);

test('control characters of a remote do not reach messages', () => {
  expect(fromStatus('gpu', 500, JSON.stringify({ error: 'a\u001b[31m\nb' })).message).toMatch(/failed: a \[31m b$/);
});

test('a closed connection can be tried again', () => {
  const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  expect(fromNetwork('gpu', error)).toMatchObject({ code: 'remote_failed', outcome: 'failed', isReset: true });
  expect(fromNetwork('gpu', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toMatchObject({
    message: 'the remote "gpu" cannot be reached: the connection was refused',
    isReset: false,
  });
});
