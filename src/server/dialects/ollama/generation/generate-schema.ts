// POST /api/generate on the wire.

import { Type } from 'typebox';
import {
  formatField,
  imagesField,
  keepAliveField,
  modelField,
  optionsField,
  requiresModel,
  streamField,
  timestampField,
} from '../../shared/common-fields-schema.ts';
import { debugInfoField } from '../../shared/debug-schema.ts';
import { LogprobBody, PromptLogprobBody, promptLogprobsField } from '../../shared/logprobs-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { remoteModelFields } from '../models/details-schema.ts';
import { generationOptionFields, promptProgressField } from './generation-options-schema.ts';
import { statisticsFields } from './statistics-schema.ts';

export const GenerateRequestBody = Type.Object(
  {
    model: modelField,
    prompt: Type.Optional(Type.String({ description: 'Empty: the model is loaded, or unloaded if keep_alive is 0.' })),
    suffix: Type.Optional(
      Type.String({ description: 'Text after the insertion point, for fill-in-the-middle models.' }),
    ),
    images: imagesField,
    format: formatField,
    options: optionsField,
    system: Type.Optional(Type.String({ description: "Replaces the model's system prompt." })),
    template: Type.Optional(Type.String({ description: "Replaces the model's prompt template." })),
    context: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'The `context` of an earlier response, to continue from it.',
        documented: { items: { type: 'integer', minimum: 0 } },
      }),
    ),
    stream: streamField,
    raw: Type.Optional(
      Type.Boolean({ description: 'True: the prompt is used as it is, without system, template and context.' }),
    ),
    keep_alive: keepAliveField,
    prompt_logprobs: promptLogprobsField,
    ...generationOptionFields,
  },
  {
    documented: {
      ...requiresModel.documented,
      if: { properties: { raw: { const: true } }, required: ['raw'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { system: { maxLength: 0 }, template: { maxLength: 0 }, context: { maxItems: 0 } } },
    },
  },
);
export type GenerateRequestBody = Wire<typeof GenerateRequestBody>;

export const GenerateResponseBody = Type.Object({
  model: Type.String(),
  ...remoteModelFields,
  created_at: timestampField,
  response: Type.String(),
  thinking: Type.Optional(Type.String()),
  done: Type.Boolean(),
  prompt_progress: promptProgressField,
  context: Type.Optional(Type.Array(Type.Integer())),
  logprobs: Type.Optional(Type.Array(LogprobBody)),
  prompt_logprobs: Type.Optional(
    Type.Array(PromptLogprobBody, { description: 'The next tokens of the prompt, before the first text.' }),
  ),
  _debug_info: debugInfoField,
  ...statisticsFields,
});
export type GenerateResponseBody = Wire<typeof GenerateResponseBody>;
