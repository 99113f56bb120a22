// GET /api/requests/log on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const RequestLogResponseBody = Type.Object({
  keeps: Type.Integer({ description: 'The number of requests that are kept; 0: the log is off.' }),
  requests: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The x-request-id of the request.' }),
      time: timestampField,
      key: Type.Optional(Type.String({ description: 'The name of its key.' })),
      endpoint: Type.String(),
      model: Type.String(),
      prompt_tokens: Type.Integer(),
      cached_tokens: Type.Integer(),
      generated_tokens: Type.Integer(),
      duration_ms: Type.Integer(),
      outcome: Type.String({ description: 'ok, or the code of the error.' }),
      exchanges: Type.Array(
        Type.Object({
          prompt: Type.String({ description: 'As the model got it.' }),
          answer: Type.String({ description: 'As the model generated it.' }),
        }),
      ),
    }),
    { description: 'The last one first.' },
  ),
});
export type RequestLogResponseBody = Wire<typeof RequestLogResponseBody>;
