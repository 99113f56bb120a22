// POST /v1/chat/completions on the wire.

import { type Static, Type } from 'typebox';
import { type CompletionHead, generationFields, type Usage } from '../generation-schema.ts';

const ToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    arguments: Type.Optional(Type.Unknown({ description: 'An object as JSON text.' })),
  }),
});

const Message = Type.Object({
  role: Type.String(),
  content: Type.Optional(Type.Unknown({ description: 'A text, or a list of parts: texts and pictures.' })),
  name: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  tool_call_id: Type.Optional(Type.String()),
  reasoning: Type.Optional(Type.String({ description: 'What the assistant thought.' })),
  reasoning_content: Type.Optional(Type.String({ description: 'The same, as others spell it.' })),
});

const Tool = Type.Object({
  type: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    parameters: Type.Optional(Type.Unknown({ description: 'A JSON schema of any shape.' })),
  }),
});

export const ChatCompletionRequest = Type.Object({
  ...generationFields,
  messages: Type.Optional(Type.Array(Message)),
  tools: Type.Optional(Type.Array(Tool)),
  tool_choice: Type.Optional(
    Type.Unknown({ description: '"none", "auto", "required", or the tool that must be called.' }),
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
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>;
export type ChatCompletionRequestMessage = Static<typeof Message>;
export type ChatCompletionRequestTool = Static<typeof Tool>;

export interface ChatCompletionToolCall {
  readonly id: string;
  readonly index: number;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatCompletionMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ChatCompletionToolCall[];
}

export type FinishReason = 'stop' | 'length' | 'tool_calls';

export interface ChatCompletion extends CompletionHead<'chat.completion'> {
  readonly choices: readonly {
    readonly index: number;
    readonly message: ChatCompletionMessage;
    readonly logprobs: ChatLogprobs | null;
    readonly finish_reason: FinishReason;
  }[];
  readonly usage: Usage;
}

export interface ChatCompletionDelta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly ChatCompletionToolCall[];
}

export interface ChatCompletionChunk extends CompletionHead<'chat.completion.chunk'> {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatCompletionDelta;
    readonly logprobs?: ChatLogprobs;
    readonly finish_reason: FinishReason | null;
  }[];
  /** Where it was asked for: null, and on a last chunk without choices the figures. */
  readonly usage?: Usage | null;
}

export interface ChatLogprobs {
  readonly content: readonly ChatTokenLogprob[];
}

export interface TokenLogprobBody {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

export interface ChatTokenLogprob extends TokenLogprobBody {
  readonly top_logprobs: readonly TokenLogprobBody[];
}
