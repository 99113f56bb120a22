// POST /api/score on the wire.

import { Type } from 'typebox';
import { documentedTexts, keepAliveField, modelField, optionsField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const documentedText = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 }],
};

export const ScoreRequestBody = Type.Object(
  {
    model: modelField,
    context: Type.Optional(
      Type.Unknown({
        description: 'The text before the continuations, as a string or as tokens. No template is applied.',
        documented: documentedText,
      }),
    ),
    continuations: Type.Optional(
      Type.Unknown({
        description: 'An array of strings, or of arrays of tokens.',
        documented: documentedTexts.anyOf[1],
      }),
    ),
    options: optionsField,
    keep_alive: keepAliveField,
  },
  { documented: { required: ['model', 'continuations'] } },
);
export type ScoreRequestBody = Wire<typeof ScoreRequestBody>;

export const ScoreResponseBody = Type.Object({
  model: Type.String(),
  scores: Type.Array(
    Type.Object({
      log_likelihood: Type.Number({ description: 'The sum of the log probabilities of its tokens.' }),
      length: Type.Integer({ description: 'Tokens.' }),
      greedy: Type.Boolean({ description: 'Whether each token is the likeliest one.' }),
    }),
    { description: 'In the order of the continuations.' },
  ),
  total_duration: Type.Integer({ description: 'Nanoseconds.' }),
  load_duration: Type.Integer({ description: 'Nanoseconds.' }),
  prompt_eval_count: Type.Integer({ description: 'Tokens of the context with each continuation.' }),
  prompt_eval_cached_count: Type.Integer({ description: 'The part of them that was evaluated before.' }),
});
export type ScoreResponseBody = Wire<typeof ScoreResponseBody>;
