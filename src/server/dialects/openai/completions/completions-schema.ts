// POST /v1/completions on the wire.

import { Type } from 'typebox';
import { documentedTexts, requiresModel, violationsField } from '../../shared/common-fields-schema.ts';
import { debugInfoField, debugRenderField } from '../../shared/debug-schema.ts';
import { promptLogprobsResponseField } from '../../shared/logprobs-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { CompletionUsage, completionHeadFields, generationFields, tokenIdsField } from '../generation-schema.ts';

export const CompletionRequestBody = Type.Object(
  {
    ...generationFields,
    prompt: Type.Optional(
      Type.Unknown({
        description: 'A string, an array of strings, an array of token ids, or an array of those.',
        documented: documentedTexts,
      }),
    ),
    suffix: Type.Optional(
      Type.String({ description: 'Text after the insertion point, for fill-in-the-middle models.' }),
    ),
    echo: Type.Optional(
      Type.Boolean({
        description:
          'Repeat the prompt before the completion. With `logprobs`, also its tokens and their probabilities.',
      }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({
        description:
          'Maximum number of tokens to generate. 0: none with `echo` or `prompt_logprobs`, otherwise no limit.',
      }),
    ),
    logprobs: Type.Optional(
      Type.Integer({
        description: 'Number of the most likely tokens to return at each position.',
        documented: { minimum: 0, maximum: 20 },
      }),
    ),
    raw: Type.Optional(
      Type.Boolean({
        description:
          'False: the prompt is the message of a user in the template of the model. Default: true, unless the setting HEARTH_COMPLETIONS_TEMPLATE is on. Not part of the OpenAI API.',
      }),
    ),
    _debug_render_only: debugRenderField,
  },
  requiresModel,
);
export type CompletionRequestBody = Wire<typeof CompletionRequestBody>;

const Logprobs = Type.Object({
  tokens: Type.Array(Type.String()),
  token_logprobs: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: 'Null for the first token of a prompt.',
  }),
  top_logprobs: Type.Array(Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()])),
  text_offset: Type.Array(Type.Integer(), { description: 'Where each token begins in the text.' }),
});
export type CompletionLogprobs = Wire<typeof Logprobs>;

const Choice = Type.Object({
  index: Type.Integer(),
  text: Type.String(),
  logprobs: Type.Union([Logprobs, Type.Null()]),
  finish_reason: Type.Union([
    Type.Enum(['stop', 'length', 'load', 'unload'], {
      description: '`load` and `unload` only without a prompt.',
    }),
    Type.Null(),
  ]),
  schema_violations: violationsField,
  prompt_token_ids: tokenIdsField,
  prompt_logprobs: promptLogprobsResponseField,
  token_ids: tokenIdsField,
});
export type CompletionChoice = Wire<typeof Choice>;

/** Complete responses and chunks have the same shape. */
export const CompletionResponseBody = Type.Object({
  ...completionHeadFields('text_completion'),
  choices: Type.Array(Choice),
  usage: Type.Optional(Type.Union([CompletionUsage, Type.Null()])),
  _debug_info: debugInfoField,
});
export type CompletionResponseBody = Wire<typeof CompletionResponseBody>;
