// POST /api/chat on the wire.

import { type Static, Type } from 'typebox';
import { generationOptionFields, type LogprobBody } from './generation-options-schema.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

const ToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    arguments: Type.Optional(Type.Unknown({ description: 'An object; some agents send it as JSON text.' })),
  }),
});

const Message = Type.Object({
  role: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  images: Type.Optional(Type.Array(Type.String(), { description: 'PNG or JPEG files as base64.' })),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  tool_name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
});

const Tool = Type.Object({
  type: Type.Optional(Type.String()),
  function: Type.Object({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    parameters: Type.Optional(
      Type.Unknown({ description: 'A JSON schema of any shape: it is shown to the model, not carried out.' }),
    ),
  }),
});

export const ChatRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  messages: Type.Optional(Type.Array(Message)),
  tools: Type.Optional(Type.Array(Tool)),
  format: Type.Optional(
    Type.Unknown({ description: '"json", a JSON schema, or {"type": "gbnf", "grammar": "root ::= …"}.' }),
  ),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
  stream: Type.Optional(Type.Boolean({ description: 'False: one object instead of a stream.' })),
  keep_alive: Type.Optional(
    Type.Unknown({ description: 'A number of seconds or a duration such as "5m"; how long the model stays loaded.' }),
  ),
  ...generationOptionFields,
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
