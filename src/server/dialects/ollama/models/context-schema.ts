// The context of a model in the responses of ps and show. Not part of the Ollama API.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const ContextBody = Type.Object(
  {
    length: Type.Integer({ description: 'Tokens per request.' }),
    source: Type.Enum(['request', 'model', 'setting', 'memory', 'trained'], {
      description:
        'Why it has this length: `num_ctx` of the request, `num_ctx` of the model, the setting `context_length`, the longest one that memory allows, or the trained length, which is the limit.',
    }),
    parallel: Type.Integer({ description: 'Requests in parallel, each with a context of its own.' }),
    type_k: Type.String({ description: 'Data type of the keys in the KV cache.' }),
    type_v: Type.String({ description: 'Data type of the values in the KV cache.' }),
  },
  { description: 'The context. Not part of the Ollama API.' },
);
export type ContextBody = Wire<typeof ContextBody>;
