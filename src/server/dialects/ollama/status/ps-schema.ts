// GET /api/ps on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { ContextBody } from '../models/context-schema.ts';
import { listedModelFields, remoteModelFields } from '../models/details-schema.ts';

const GpuBody = Type.Object(
  {
    devices: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name that the backend gives it, such as CUDA0.' }),
        size_vram: Type.Integer({ description: 'Bytes of this model there.' }),
      }),
    ),
    layers: Type.Optional(Type.Integer({ description: 'Layers on GPUs; the output of the model counts as one.' })),
    total_layers: Type.Optional(Type.Integer()),
    expert_layers_in_memory: Type.Optional(
      Type.Integer({ description: 'Layers whose experts are in main memory. Absent: none.' }),
    ),
    reduced: Type.Optional(Type.String({ description: 'Why fewer layers are on GPUs than planned.' })),
  },
  { description: 'Absent if the model is not on a GPU.' },
);

export const PsResponseBody = Type.Object({
  models: Type.Array(
    Type.Object({
      ...listedModelFields,
      ...remoteModelFields,
      modified_at: timestampField,
      expires_at: timestampField,
      shared_with: Type.Optional(
        Type.String({
          description:
            'Another model in the list with the same weights, which are in memory once: `size` is the size of both. Not part of the Ollama API.',
        }),
      ),
      aliases: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Names of HEARTH_MODEL_ALIASES that stand for the model. Not part of the Ollama API.',
        }),
      ),
      pinned: Type.Optional(
        Type.Literal(true, { description: 'The model stays loaded without a time limit. Absent otherwise.' }),
      ),
      size_vram: Type.Integer({ description: 'Bytes in GPU memory.' }),
      size_prefix_cache: Type.Optional(
        Type.Integer({
          description: 'Bytes of the prefix cache in main memory, besides `size`. Not part of the Ollama API.',
        }),
      ),
      context_length: Type.Optional(
        Type.Integer({ description: 'Absent while the model is loading, and for a remote model.' }),
      ),
      context: Type.Optional(ContextBody),
      state: Type.Enum(['loading', 'idle', 'busy', 'sleeping', 'draining']),
      progress: Type.Optional(
        Type.String({ description: 'What the load does, such as "loading weights 3 of 8". Absent: unknown.' }),
      ),
      backend: Type.Optional(
        Type.String({
          description:
            'The backend that computes, such as cuda or cpu, or vllm or remote. Absent while the model is loading.',
        }),
      ),
      fallback: Type.Optional(
        Type.String({ description: 'Why the model does not run on the backends that were tried before.' }),
      ),
      gpu: Type.Optional(GpuBody),
    }),
  ),
});
export type PsResponseBody = Wire<typeof PsResponseBody>;
