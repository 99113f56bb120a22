// GET /api/usage on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

/** What usage can be summed up by. */
export const usageGroupingNames = ['key', 'model', 'day', 'alias'] as const;

export const usageQuery = {
  by: Type.Enum(usageGroupingNames, {
    description: 'What to group by: key, model, day or alias (with the model that it stood for); by default model.',
  }),
  since: Type.Union(
    [
      Type.String({ pattern: '^[0-9]{1,6}[mhdw]$' }),
      Type.String({ format: 'date' }),
      Type.String({ format: 'date-time' }),
    ],
    {
      description:
        'A period such as 12h, 7d or 4w, a date, or an RFC 3339 time; by default everything that is recorded.',
    },
  ),
};

const sumFields = {
  requests: Type.Integer(),
  failed: Type.Integer({ description: 'The requests that did not end with success.' }),
  prompt_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'The prompt tokens that the prefix cache provided.' }),
  generated_tokens: Type.Integer(),
  duration_ms: Type.Integer({ description: 'The durations of all requests together.' }),
};

export const UsageResponseBody = Type.Object({
  by: Type.Enum(usageGroupingNames),
  since: Type.Optional(timestampField),
  groups: Type.Array(
    Type.Object({
      name: Type.String({
        description:
          'The key, the model, the day in UTC, or the alias with its model. Empty: requests without a key, a model or an alias.',
      }),
      ...sumFields,
      last_used_at: timestampField,
    }),
  ),
  total: Type.Object(sumFields),
});
export type UsageResponseBody = Wire<typeof UsageResponseBody>;
