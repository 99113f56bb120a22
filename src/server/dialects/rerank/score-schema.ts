// POST /score and POST /v1/score on the wire, as in vLLM.

import { Type } from 'typebox';
import { rerankFields } from '../shared/rerank-fields-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';

const { query: _, documents: __, top_n: ___, ...fields } = rerankFields;
const documented = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1 }],
};
const textsField = (description: string) => Type.Optional(Type.Unknown({ description, documented }));

export const PairScoreRequestBody = Type.Object(
  {
    ...fields,
    text_1: textsField('A query, or one for each text of `text_2`.'),
    text_2: textsField('One or more documents.'),
    queries: textsField('Another name of `text_1`.'),
    documents: textsField('Another name of `text_2`.'),
  },
  { documented: { required: ['model', 'text_1', 'text_2'] } },
);
export type PairScoreRequestBody = Wire<typeof PairScoreRequestBody>;

export const PairScoreResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('list'),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  model: Type.String(),
  data: Type.Array(Type.Object({ index: Type.Integer(), object: Type.Literal('score'), score: Type.Number() }), {
    description: 'In the order of the request.',
  }),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
export type PairScoreResponseBody = Wire<typeof PairScoreResponseBody>;
