// GET /api/activity on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const tokenFields = {
  prompt_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'The prompt tokens that the prefix cache provided.' }),
  generated_tokens: Type.Integer(),
};

export const ActivityResponseBody = Type.Object({
  time: timestampField,
  requests: Type.Array(
    Type.Object({
      id: Type.Optional(
        Type.String({ description: 'The x-request-id of the request; only for requests of the same client.' }),
      ),
      model: Type.String(),
      endpoint: Type.String(),
      key: Type.Optional(Type.String({ description: 'The name of its key.' })),
      since: timestampField,
      state: Type.Enum(['waiting', 'running']),
      position: Type.Optional(
        Type.Integer({ description: 'Among the waiting requests for the same model, in order of arrival, from 1.' }),
      ),
      ...tokenFields,
    }),
    { description: 'The requests that run models, in order of arrival.' },
  ),
  interval_ms: Type.Integer({ description: 'The length of an interval.' }),
  intervals: Type.Array(Type.Object(tokenFields), {
    description: 'The tokens of the last minutes, the oldest interval first.',
  }),
});
export type ActivityResponseBody = Wire<typeof ActivityResponseBody>;
