// POST /v1/chat/completions on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../wire-schema.ts';
import { completionHeadFields, generationFields, Usage } from '../generation-schema.ts';

const RequestToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    arguments: Type.Optional(Type.Unknown({ description: 'An object as a JSON string.' })),
  }),
});

const RequestMessage = Type.Object({
  role: Type.String(),
  content: Type.Optional(Type.Unknown({ description: 'A string, or an array of text and image parts.' })),
  name: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(RequestToolCall)),
  tool_call_id: Type.Optional(Type.String()),
  reasoning: Type.Optional(Type.String({ description: 'The thinking of an earlier response.' })),
  reasoning_content: Type.Optional(Type.String({ description: 'Another name of `reasoning`.' })),
});

const RequestTool = Type.Object({
  type: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    parameters: Type.Optional(Type.Unknown({ description: 'A JSON schema; it is shown to the model.' })),
  }),
});

export const ChatCompletionRequestBody = Type.Object({
  ...generationFields,
  messages: Type.Optional(Type.Array(RequestMessage)),
  tools: Type.Optional(Type.Array(RequestTool)),
  tool_choice: Type.Optional(
    Type.Unknown({ description: '"none", "auto", "required", or an object that names a function.' }),
  ),
  response_format: Type.Optional(
    Type.Object({
      type: Type.String(),
      json_schema: Type.Optional(Type.Object({ schema: Type.Optional(Type.Unknown()) })),
    }),
  ),
  max_completion_tokens: Type.Optional(Type.Integer()),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer()),
  reasoning_effort: Type.Optional(Type.String()),
  reasoning: Type.Optional(Type.Object({ effort: Type.Optional(Type.String()) })),
});
export type ChatCompletionRequestBody = Wire<typeof ChatCompletionRequestBody>;
export type ChatCompletionRequestMessage = Wire<typeof RequestMessage>;
export type ChatCompletionRequestTool = Wire<typeof RequestTool>;

const ResponseToolCall = Type.Object({
  id: Type.String(),
  index: Type.Integer(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});
export type ChatCompletionToolCall = Wire<typeof ResponseToolCall>;

const tokenFields = { token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer()) };
const TokenLogprob = Type.Object({ ...tokenFields, top_logprobs: Type.Array(Type.Object(tokenFields)) });
export type ChatTokenLogprob = Wire<typeof TokenLogprob>;
const Logprobs = Type.Object({ content: Type.Array(TokenLogprob) });

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
        ...answerFields,
      }),
      logprobs: Type.Union([Logprobs, Type.Null()]),
      finish_reason: FinishReason,
    }),
  ),
  usage: Usage,
});
export type ChatCompletionResponseBody = Wire<typeof ChatCompletionResponseBody>;

const Delta = Type.Object({
  role: Type.Optional(Type.Literal('assistant')),
  content: Type.Optional(Type.String()),
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
    }),
  ),
  usage: Type.Optional(
    Type.Union([Usage, Type.Null()], { description: 'With include_usage: null, and in the last chunk the counts.' }),
  ),
});
export type ChatCompletionChunkBody = Wire<typeof ChatCompletionChunkBody>;
