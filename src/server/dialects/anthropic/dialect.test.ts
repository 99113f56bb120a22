import { expect, test } from 'vitest';
import { type ErrorCode, HearthError } from '../../../base/errors.ts';
import { PromptTooLongError } from '../../../inference/model/prompt-too-long.ts';
import { anthropicDialect } from './dialect.ts';

const { statusOf, toErrorBody, framing } = anthropicDialect;

test.each<[ErrorCode, number, string]>([
  ['bad_request', 400, 'invalid_request_error'],
  ['bad_option', 400, 'invalid_request_error'],
  ['registry_denied', 401, 'authentication_error'],
  ['forbidden', 403, 'permission_error'],
  ['model_not_found', 404, 'not_found_error'],
  ['path_not_found', 404, 'not_found_error'],
  ['method_not_allowed', 405, 'invalid_request_error'],
  ['request_timeout', 408, 'timeout_error'],
  ['body_too_large', 413, 'request_too_large'],
  ['busy', 503, 'overloaded_error'],
  ['shutting_down', 503, 'overloaded_error'],
  ['runner_died', 500, 'api_error'],
  ['disk_full', 507, 'api_error'],
])('%s: %i %s', (code, status, type) => {
  expect(statusOf(code)).toBe(status);
  expect(toErrorBody(new HearthError(code, 'so'))).toEqual({
    type: 'error',
    error: { type, message: 'so' },
    request_id: null,
  });
});

test('an error has the id of its request', () => {
  expect(toErrorBody(new HearthError('busy', 'later'), '17')).toMatchObject({ request_id: '17' });
});

test('a prompt that is too long has the text that agents recognize', () => {
  const error = new PromptTooLongError(5000, 4095);
  expect(toErrorBody(error)).toMatchObject({ error: { message: 'prompt is too long: 5000 tokens > 4095 maximum' } });
});

test('events have names, errors too', () => {
  expect(framing.frame({ type: 'ping' })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  expect(framing.frameError(new HearthError('runner_died', 'gone'), '17')).toMatch(
    /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"gone"\},.*\}\n\n$/,
  );
});
