// Errors: a response body, or the last event of a stream.

import { Type } from 'typebox';
import type { Wire } from './wire-schema.ts';

export const OpenAiErrorResponseBody = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.Enum(['invalid_request_error', 'not_found_error', 'permission_error', 'rate_limit_error', 'api_error']),
    param: Type.Null(),
    code: Type.String({ description: 'The kind of error, for programs.' }),
  }),
});
export type OpenAiErrorResponseBody = Wire<typeof OpenAiErrorResponseBody>;
