// An error of llama-server's API on the wire.

import { Type } from 'typebox';
import type { Wire } from '../shared/wire-schema.ts';

export const LlamaServerErrorBody = Type.Object({
  error: Type.Object({
    code: Type.Integer({ description: 'The status of the response.' }),
    message: Type.String(),
    type: Type.Enum([
      'invalid_request_error',
      'exceed_context_size_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'not_supported_error',
      'unavailable_error',
      'server_error',
    ]),
  }),
});
export type LlamaServerErrorBody = Wire<typeof LlamaServerErrorBody>;
