// GET /api/queue on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const QueueResponseBody = Type.Object({
  queues: Type.Array(
    Type.Object({
      model: Type.String(),
      waiting: Type.Array(
        Type.Object({
          id: Type.Optional(
            Type.String({ description: 'The x-request-id of the request; only for requests of the same client.' }),
          ),
          since: timestampField,
          for: Type.Enum(['model', 'runner']),
        }),
      ),
    }),
  ),
});
export type QueueResponseBody = Wire<typeof QueueResponseBody>;
