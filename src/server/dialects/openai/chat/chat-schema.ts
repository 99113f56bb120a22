// POST /v1/chat/completions on the wire.

import { Type } from 'typebox';
import {
  FunctionTool,
  predictionField,
  quietField,
  templateVariablesField,
  violationsField,
} from '../../shared/common-fields-schema.ts';
import { debugInfoField, debugRenderField } from '../../shared/debug-schema.ts';
import { promptLogprobsResponseField } from '../../shared/logprobs-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import {
  CompletionUsage,
  completionHeadFields,
  generationFields,
  OutputLogprob,
  tokenIdsField,
  tokenLimitField,
  truncationField,
} from '../generation-schema.ts';

const RequestToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  type: quietField,
  index: quietField,
  function: Type.Object({
    name: Type.String(),
    arguments: Type.Optional(Type.Unknown({ description: 'An object as a JSON string.', documented: { const: '{}' } })),
  }),
});

const documentedPart = {
  type: 'object',
  properties: { type: { const: 'text' }, text: { type: 'string' } },
  required: ['type', 'text'],
  description:
    'Images are {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}. Recordings are {"type": "input_audio", "input_audio": {"data": "…", "format": "wav"}}: WAV, MP3, FLAC or Ogg Vorbis in base64. Documents are {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,…"}}, or have the file_id of an uploaded file.',
};

const RequestMessage = Type.Object(
  {
    role: Type.String({ documented: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] } }),
    content: Type.Optional(
      Type.Unknown({
        description:
          'A string, or an array of text, image, audio and file parts. Required, except in messages with tool calls.',
        // An empty text is a text; without content a message is refused.
        emptyValues: ['string', 'array', 'object'],
        documented: { anyOf: [{ type: 'string' }, { type: 'array', items: documentedPart }] },
      }),
    ),
    name: Type.Optional(Type.String()),
    tool_calls: Type.Optional(Type.Array(RequestToolCall)),
    tool_call_id: Type.Optional(Type.String()),
    reasoning: Type.Optional(Type.String({ description: 'The thinking of an earlier response.' })),
    reasoning_content: Type.Optional(Type.String({ description: 'Another name of `reasoning`.' })),
    // Parts of a response that clients send back.
    refusal: quietField,
    annotations: quietField,
    audio: quietField,
    reasoning_details: quietField,
  },
  { documented: { required: ['role', 'content'] } },
);

const effortField = Type.Optional(
  Type.String({ documented: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'ultra', 'max'] } }),
);

export const ChatCompletionRequestBody = Type.Object(
  {
    ...generationFields,
    messages: Type.Optional(Type.Array(RequestMessage, { documented: { minItems: 1 } })),
    tools: Type.Optional(Type.Array(FunctionTool)),
    tool_choice: Type.Optional(
      Type.Unknown({
        description: '"none", "auto", "required", or an object that names a function.',
        documented: { enum: ['none', 'auto'] },
      }),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean({ description: 'False: an answer has at most one call.' })),
    max_completion_tokens: tokenLimitField,
    prediction: predictionField,
    logprobs: Type.Optional(Type.Boolean()),
    top_logprobs: Type.Optional(Type.Integer({ documented: { minimum: 0, maximum: 20 } })),
    truncation: truncationField,
    chat_template_kwargs: templateVariablesField,
    include_reasoning: Type.Optional(
      Type.Boolean({ description: 'False: the thinking is not part of the response. Default: true.' }),
    ),
    reasoning_effort: effortField,
    reasoning: Type.Optional(Type.Object({ effort: effortField })),
    _debug_render_only: debugRenderField,
  },
  { documented: { required: ['model', 'messages'] } },
);
export type ChatCompletionRequestBody = Wire<typeof ChatCompletionRequestBody>;
export type ChatCompletionRequestMessage = Wire<typeof RequestMessage>;
export type ChatCompletionRequestTool = Wire<typeof FunctionTool>;

const ResponseToolCall = Type.Object({
  id: Type.String(),
  index: Type.Integer(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});
export type ChatCompletionToolCall = Wire<typeof ResponseToolCall>;

const Logprobs = Type.Object({ content: Type.Array(OutputLogprob) });

const FinishReason = Type.Enum(['stop', 'length', 'tool_calls']);
export type FinishReason = Wire<typeof FinishReason>;

const answerFields = {
  reasoning: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ResponseToolCall)),
};

export const ChatCompletionResponseBody = Type.Object({
  ...completionHeadFields('chat.completion'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: Type.Union([Type.String(), Type.Null()]),
        refusal: Type.Null(),
        ...answerFields,
      }),
      logprobs: Type.Union([Logprobs, Type.Null()]),
      finish_reason: FinishReason,
      schema_violations: violationsField,
      token_ids: tokenIdsField,
    }),
  ),
  usage: CompletionUsage,
  prompt_token_ids: tokenIdsField,
  prompt_logprobs: promptLogprobsResponseField,
  _debug_info: debugInfoField,
});
export type ChatCompletionResponseBody = Wire<typeof ChatCompletionResponseBody>;

const Delta = Type.Object({
  role: Type.Optional(Type.Literal('assistant')),
  content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  ...answerFields,
});
export type ChatCompletionDelta = Wire<typeof Delta>;

export const ChatCompletionChunkBody = Type.Object({
  ...completionHeadFields('chat.completion.chunk'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Delta,
      logprobs: Type.Optional(Logprobs),
      finish_reason: Type.Union([FinishReason, Type.Null()]),
      schema_violations: violationsField,
      token_ids: tokenIdsField,
    }),
  ),
  prompt_token_ids: tokenIdsField,
  usage: Type.Optional(
    Type.Union([CompletionUsage, Type.Null()], {
      description:
        'With include_usage: null, and in the last chunk the counts. With continuous_usage_stats: the counts so far.',
    }),
  ),
});
export type ChatCompletionChunkBody = Wire<typeof ChatCompletionChunkBody>;
