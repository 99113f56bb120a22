// POST /classify and POST /v1/classify on the wire, as in vLLM.

import { Type } from 'typebox';
import { rerankFields } from '../shared/rerank-fields-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';

const { model, truncate, options, keep_alive } = rerankFields;

export const ClassifyRequestBody = Type.Object(
  {
    model,
    input: Type.Optional(
      Type.Unknown({
        description: 'A text, or several.',
        documented: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 4096 }],
        },
      }),
    ),
    use_activation: Type.Optional(
      Type.Boolean({ description: 'False: the outputs of the model. Default: true, probabilities.' }),
    ),
    truncate,
    options,
    keep_alive,
  },
  { documented: { required: ['model', 'input'] } },
);
export type ClassifyRequestBody = Wire<typeof ClassifyRequestBody>;

export const ClassifyResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('list'),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  model: Type.String(),
  data: Type.Array(
    Type.Object({
      index: Type.Integer(),
      label: Type.String({ description: 'The likeliest class.' }),
      probs: Type.Array(Type.Number(), { description: 'One for each class of the model.' }),
      num_classes: Type.Integer(),
    }),
    { description: 'In the order of the request.' },
  ),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
export type ClassifyResponseBody = Wire<typeof ClassifyResponseBody>;
