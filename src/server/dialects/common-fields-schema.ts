// Fields that several requests and responses have.

import { Type } from 'typebox';

/** Optional here: the error for a missing model has a text of its own, which clients know. */
export const modelField = Type.Optional(Type.String({ description: 'Model name. Required.' }));
export const legacyNameField = Type.Optional(Type.String({ description: 'Deprecated: use `model`.' }));
export const optionsField = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Model options, such as temperature and num_ctx.' }),
);
export const keepAliveField = Type.Optional(
  Type.Unknown({
    description:
      'How long the model stays loaded after the request: seconds, or a duration such as "5m". Negative: no limit.',
  }),
);
export const streamField = Type.Optional(
  Type.Boolean({ description: 'False: one object instead of a stream. Default: true.' }),
);
export const formatField = Type.Optional(
  Type.Unknown({ description: '"json", a JSON schema, or {"type": "gbnf", "grammar": "root ::= …"}.' }),
);
export const imagesField = Type.Optional(Type.Array(Type.String(), { description: 'PNG or JPEG files in base64.' }));
export const timestampField = Type.String({ format: 'date-time' });
