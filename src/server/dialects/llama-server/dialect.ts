// The conventions of llama-server's own API, which editors and other tools for one model use.

import type { ErrorCode, HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { eventStream, frameData, sdkStatusOf } from '../shared/sdk-conventions.ts';
import { LlamaServerErrorBody } from './error-schema.ts';

type ErrorType = LlamaServerErrorBody['error']['type'];

const types: Readonly<Partial<Record<ErrorCode, ErrorType>>> = {
  prompt_too_long: 'exceed_context_size_error',
  unauthorized: 'authentication_error',
  missing_scope: 'permission_error',
  unsupported: 'not_supported_error',
  busy: 'unavailable_error',
  rate_limited: 'unavailable_error',
  shutting_down: 'unavailable_error',
};

function typeOf(code: ErrorCode): ErrorType {
  const status = sdkStatusOf(code);
  if (status === 404) return 'not_found_error';
  return types[code] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
}

const toErrorBody = ({ code, message }: HearthError): LlamaServerErrorBody => ({
  error: { code: sdkStatusOf(code), message, type: typeOf(code) },
});

export const llamaServerDialect: ApiDialect = {
  name: 'llama-server',
  errorSchema: LlamaServerErrorBody,
  statusOf: sdkStatusOf,
  toErrorBody,
  framing: { ...eventStream, frame: frameData, frameError: (error) => frameData(toErrorBody(error)), end: '' },
};
