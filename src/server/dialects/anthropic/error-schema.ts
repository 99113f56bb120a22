// Errors: a response body, or the last event of a stream.

import { Type } from 'typebox';
import type { Wire } from '../shared/wire-schema.ts';

const ErrorType = Type.Enum([
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  'api_error',
]);
export type AnthropicErrorType = Wire<typeof ErrorType>;

export const AnthropicErrorResponseBody = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({ type: ErrorType, message: Type.String() }),
  request_id: Type.Union([Type.String(), Type.Null()], { description: 'As in the header `request-id`.' }),
});
export type AnthropicErrorResponseBody = Wire<typeof AnthropicErrorResponseBody>;
