// POST /api/create on the wire: the older form with a Modelfile, and the newer one with a field for each part.

import { Type } from 'typebox';
import { engineNames } from '../../../../models/engine-parameters.ts';
import { quantizations } from '../../../../models/quantization.ts';
import {
  digestField,
  documentedName,
  legacyNameField,
  modelField,
  optionsField,
  streamField,
} from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const Message = Type.Object({
  role: Type.String({ documented: { enum: ['system', 'user', 'assistant'] } }),
  content: Type.Optional(Type.String()),
});
const Files = Type.Record(Type.String(), Type.String(), {
  description: 'Digest of an uploaded blob by file name.',
  documented: { patternProperties: { '^[a-z0-9]{1,20}\\.gguf$': digestField }, additionalProperties: false },
});

export const CreateRequestBody = Type.Object(
  {
    model: modelField,
    name: legacyNameField,
    modelfile: Type.Optional(Type.String({ description: 'The text of a Modelfile.' })),
    path: Type.Optional(Type.String({ description: 'The path of a Modelfile on the machine of the server.' })),
    quantize: Type.Optional(
      Type.String({
        description: 'Quantize the weights to this type, such as q4_K_M.',
        documented: { enum: quantizations },
      }),
    ),
    imatrix: Type.Optional(
      Type.String({
        description: 'Digest of an uploaded importance matrix in GGUF format, for `quantize`.',
        documented: { pattern: '^sha256:[0-9a-f]{64}$' },
      }),
    ),
    quantization: Type.Optional(
      Type.String({ description: 'Deprecated: use `quantize`.', documented: { enum: quantizations } }),
    ),
    stream: streamField,
    from: Type.Optional(Type.String({ description: 'The model to start from.', documented: documentedName })),
    files: Type.Optional(Files),
    adapters: Type.Optional(Files),
    draft: Type.Optional(
      Type.String({
        description: 'The model that drafts tokens for this one. It must have the same vocabulary.',
        documented: { maxLength: 0 },
      }),
    ),
    draft_files: Type.Optional(Files),
    template: Type.Optional(Type.String()),
    system: Type.Optional(Type.String()),
    parameters: optionsField,
    messages: Type.Optional(Type.Array(Message)),
    license: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    renderer: Type.Optional(
      Type.String({ description: 'What writes the prompts instead of a template, as `RENDERER` in a Modelfile.' }),
    ),
    parser: Type.Optional(
      Type.String({ description: 'What reads thinking and tool calls in answers, as `PARSER` in a Modelfile.' }),
    ),
    engine: Type.Optional(
      Type.String({
        description: 'What runs the model instead of llama.cpp, as `ENGINE` in a Modelfile.',
        documented: { enum: engineNames },
      }),
    ),
  },
  { documented: { required: ['model', 'from'] } },
);
export type CreateRequestBody = Wire<typeof CreateRequestBody>;
