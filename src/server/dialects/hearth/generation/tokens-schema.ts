// POST /api/tokenize and POST /api/detokenize on the wire.

import { Type } from 'typebox';
import { keepAliveField, modelField, optionsField, requiresModel } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const commonFields = { model: modelField, options: optionsField, keep_alive: keepAliveField };

export const TokenizeRequestBody = Type.Object(
  {
    ...commonFields,
    text: Type.Optional(Type.String()),
    add_special: Type.Optional(
      Type.Boolean({
        description: "Add the model's special tokens, such as the one that begins a text. Default: false.",
      }),
    ),
  },
  requiresModel,
);
export type TokenizeRequestBody = Wire<typeof TokenizeRequestBody>;

export const TokenizeResponseBody = Type.Object({ model: Type.String(), tokens: Type.Array(Type.Integer()) });
export type TokenizeResponseBody = Wire<typeof TokenizeResponseBody>;

export const DetokenizeRequestBody = Type.Object(
  {
    ...commonFields,
    tokens: Type.Optional(Type.Array(Type.Integer(), { documented: { items: { type: 'integer', minimum: 0 } } })),
  },
  requiresModel,
);
export type DetokenizeRequestBody = Wire<typeof DetokenizeRequestBody>;

export const DetokenizeResponseBody = Type.Object({ model: Type.String(), text: Type.String() });
export type DetokenizeResponseBody = Wire<typeof DetokenizeResponseBody>;
