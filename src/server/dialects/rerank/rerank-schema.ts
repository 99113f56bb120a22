// POST /v1/rerank and its other paths on the wire: the form of Jina, Cohere and vLLM, and the one of TEI.

import { Type } from 'typebox';
import { rerankFields } from '../shared/rerank-fields-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';

export const RerankRequestBody = Type.Object(
  {
    ...rerankFields,
    return_documents: Type.Optional(Type.Boolean({ description: 'False: results have no `document`. Default: true.' })),
    texts: Type.Optional(
      Type.Array(Type.String(), { description: 'The documents in the form of TEI: the response is an array.' }),
    ),
    return_text: Type.Optional(Type.Boolean({ description: 'With `texts`: whether results have a `text`.' })),
  },
  { documented: { required: ['model', 'query', 'documents'] } },
);
export type RerankRequestBody = Wire<typeof RerankRequestBody>;

const Usage = Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() });

export const RerankResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('list'),
  model: Type.String(),
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'The place of the document in the request.' }),
      relevance_score: Type.Number(),
      document: Type.Optional(Type.Object({ text: Type.String() })),
    }),
    { description: 'The best first.' },
  ),
  usage: Usage,
  meta: Type.Object(
    {
      api_version: Type.Object({ version: Type.String() }),
      tokens: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
    },
    { description: 'The same counts for clients of Cohere.' },
  ),
});
export type RerankResponseBody = Wire<typeof RerankResponseBody>;

export const TeiRerankResponseBody = Type.Array(
  Type.Object({ index: Type.Integer(), score: Type.Number(), text: Type.Optional(Type.String()) }),
  { description: 'The response to a request with `texts`.' },
);
export type TeiRerankResponseBody = Wire<typeof TeiRerankResponseBody>;
