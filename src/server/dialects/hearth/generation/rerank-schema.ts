// POST /api/rerank on the wire.

import { Type } from 'typebox';
import { rerankFields } from '../../shared/rerank-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const OllamaRerankRequestBody = Type.Object(rerankFields, {
  documented: { required: ['model', 'query', 'documents'] },
});
export type OllamaRerankRequestBody = Wire<typeof OllamaRerankRequestBody>;

export const OllamaRerankResponseBody = Type.Object({
  model: Type.String(),
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'The place of the document in the request.' }),
      document: Type.String(),
      relevance_score: Type.Number(),
    }),
    { description: 'The best first.' },
  ),
  total_duration: Type.Integer({ description: 'Nanoseconds.' }),
  load_duration: Type.Integer({ description: 'Nanoseconds.' }),
  prompt_eval_count: Type.Integer({ description: 'Tokens.' }),
});
export type OllamaRerankResponseBody = Wire<typeof OllamaRerankResponseBody>;
