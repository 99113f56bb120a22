// POST /api/chat on the wire.

import { type Static, Type } from 'typebox';
import type { AnswerStatistics } from './statistics.ts';
import { type LogprobBody, wishFields } from './wishes.ts';

const ToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    /** An object; some agents send it as JSON text. */
    arguments: Type.Optional(Type.Unknown()),
  }),
});

const Message = Type.Object({
  role: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  images: Type.Optional(Type.Array(Type.String())),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  tool_name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
});

const Tool = Type.Object({
  type: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    /** A JSON schema of any shape: it is shown to the model, not carried out. */
    parameters: Type.Optional(Type.Unknown()),
  }),
});

export const ChatRequest = Type.Object({
  model: Type.Optional(Type.String()),
  messages: Type.Optional(Type.Array(Message)),
  tools: Type.Optional(Type.Array(Tool)),
  /** "json" or a JSON schema. */
  format: Type.Optional(Type.Unknown()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  stream: Type.Optional(Type.Boolean()),
  /** A number of seconds or a duration; read by parseKeepAlive, whose messages are better than a schema's. */
  keep_alive: Type.Optional(Type.Unknown()),
  ...wishFields,
});
export type ChatRequest = Static<typeof ChatRequest>;
export type ChatRequestMessage = Static<typeof Message>;
export type ChatRequestTool = Static<typeof Tool>;

export interface ChatResponseMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly ChatResponseToolCall[];
}

export interface ChatResponseToolCall {
  readonly id?: string;
  readonly function: {
    readonly index: number;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
}

export interface ChatResponse extends AnswerStatistics {
  readonly model: string;
  readonly created_at: string;
  readonly message?: ChatResponseMessage;
  readonly logprobs?: readonly LogprobBody[];
  readonly done: boolean;
}
