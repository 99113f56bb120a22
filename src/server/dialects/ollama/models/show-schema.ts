// POST /api/show on the wire.

import { Type } from 'typebox';
import {
  legacyNameField,
  modelField,
  optionsField,
  requiresModel,
  timestampField,
} from '../../shared/common-fields-schema.ts';
import { FitBody } from '../../shared/fit-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { ContextBody } from './context-schema.ts';
import { ModelDetailsBody, remoteModelFields } from './details-schema.ts';

export const ShowRequestBody = Type.Object(
  {
    model: modelField,
    name: legacyNameField,
    verbose: Type.Optional(Type.Boolean({ description: 'Include long arrays, such as the vocabulary.' })),
    fit: Type.Optional(Type.Boolean({ description: 'Say whether the model would fit. Not part of the Ollama API.' })),
    system: Type.Optional(
      Type.String({ description: 'With this and `options`, the Modelfile is shown as if it contained them.' }),
    ),
    options: optionsField,
  },
  requiresModel,
);
export type ShowRequestBody = Wire<typeof ShowRequestBody>;

const Origin = Type.Object(
  {
    package: Type.String(),
    version: Type.String(),
    digest: Type.String({ description: 'Of the wheel or tarball.' }),
    path: Type.String({ description: 'The file or folder in the package.' }),
  },
  { description: 'The package that the model came from.' },
);

const Metadata = Type.Record(Type.String(), Type.Unknown());

export const ShowResponseBody = Type.Object({
  license: Type.Optional(Type.String()),
  modelfile: Type.String(),
  parameters: Type.Optional(Type.String()),
  template: Type.String(),
  system: Type.Optional(Type.String()),
  renderer: Type.Optional(Type.String({ description: 'What writes the prompts instead of the template.' })),
  parser: Type.Optional(Type.String({ description: 'What reads thinking and tool calls in answers.' })),
  details: ModelDetailsBody,
  messages: Type.Optional(Type.Array(Type.Object({ role: Type.String(), content: Type.String() }))),
  model_info: Metadata,
  projector_info: Type.Optional(Metadata),
  origin: Type.Optional(Origin),
  ...remoteModelFields,
  engine: Type.Optional(
    Type.String({ description: 'What runs the model instead of llama.cpp. Not part of the Ollama API.' }),
  ),
  checkpoint: Type.Optional(Type.String({ description: 'The checkpoint that this engine runs.' })),
  capabilities: Type.Array(Type.String()),
  thinking: Type.Optional(
    Type.Object(
      { levels: Type.Array(Type.String(), { description: 'Levels of `think`, from the lowest. Empty: on or off.' }) },
      { description: 'How the model can think. Not part of the Ollama API.' },
    ),
  ),
  context: Type.Optional(ContextBody),
  fit: Type.Optional(FitBody),
  adapters: Type.Optional(
    Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
      description: 'The adapters of the model, which the option `adapters` selects. Not part of the Ollama API.',
    }),
  ),
  tensors: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), type: Type.String(), shape: Type.Array(Type.Integer()) }), {
      description: 'Only with `verbose`.',
    }),
  ),
  modified_at: timestampField,
});
export type ShowResponseBody = Wire<typeof ShowResponseBody>;
