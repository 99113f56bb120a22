// POST /api/chat on the wire.

import { Type } from 'typebox';
import {
  FunctionTool,
  formatField,
  imagesField,
  keepAliveField,
  modelField,
  optionsField,
  quietField,
  requiresModel,
  streamField,
  templateVariablesField,
  timestampField,
} from '../../shared/common-fields-schema.ts';
import { debugInfoField } from '../../shared/debug-schema.ts';
import { LogprobBody } from '../../shared/logprobs-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { remoteModelFields } from '../models/details-schema.ts';
import { generationOptionFields, promptProgressField } from './generation-options-schema.ts';
import { statisticsFields } from './statistics-schema.ts';

const RequestToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  type: quietField,
  function: Type.Object({
    index: quietField,
    name: Type.String(),
    arguments: Type.Optional(
      Type.Unknown({ description: 'An object. A string with JSON is accepted, too.', documented: { type: 'object' } }),
    ),
  }),
});

const RequestMessage = Type.Object({
  role: Type.Optional(Type.String({ documented: { enum: ['system', 'user', 'assistant', 'tool'] } })),
  content: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  images: imagesField,
  tool_calls: Type.Optional(Type.Array(RequestToolCall)),
  tool_name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
});

export const ChatRequestBody = Type.Object(
  {
    model: modelField,
    messages: Type.Optional(Type.Array(RequestMessage)),
    tools: Type.Optional(Type.Array(FunctionTool)),
    format: formatField,
    options: optionsField,
    stream: streamField,
    keep_alive: keepAliveField,
    chat_template_kwargs: templateVariablesField,
    ...generationOptionFields,
  },
  requiresModel,
);
export type ChatRequestBody = Wire<typeof ChatRequestBody>;
export type ChatRequestMessage = Wire<typeof RequestMessage>;
export type ChatRequestTool = Wire<typeof FunctionTool>;

const ResponseToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  function: Type.Object({
    index: Type.Integer(),
    name: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown()),
  }),
});
export type ChatResponseToolCall = Wire<typeof ResponseToolCall>;

const ResponseMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.String(),
  thinking: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ResponseToolCall)),
});
export type ChatResponseMessage = Wire<typeof ResponseMessage>;

export const ChatResponseBody = Type.Object({
  model: Type.String(),
  ...remoteModelFields,
  created_at: timestampField,
  message: Type.Optional(ResponseMessage),
  done: Type.Boolean(),
  prompt_progress: promptProgressField,
  logprobs: Type.Optional(Type.Array(LogprobBody)),
  _debug_info: debugInfoField,
  ...statisticsFields,
});
export type ChatResponseBody = Wire<typeof ChatResponseBody>;
