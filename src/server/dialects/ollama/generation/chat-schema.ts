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
import { PassageBody } from '../../shared/passage-body-schema.ts';
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

const mcpCallFields = {
  id: Type.String(),
  server: Type.String(),
  tool: Type.String(),
  result: Type.Optional(Type.String({ description: 'Absent while the tool runs, and if it has not run.' })),
  is_error: Type.Optional(Type.Boolean()),
};

const RequestMcpCall = Type.Object(
  {
    ...mcpCallFields,
    arguments: Type.Optional(Type.Unknown({ documented: { type: 'object' } })),
    needs_approval: quietField,
    approved: Type.Optional(
      Type.Boolean({
        description:
          'True: the call runs before the model answers, if the message is the last one and mcp offers its tool. Otherwise, a call without a result was refused.',
      }),
    ),
  },
  { documented: { required: ['id', 'server', 'tool'] } },
);

const RequestMessage = Type.Object({
  role: Type.Optional(Type.String({ documented: { enum: ['system', 'user', 'assistant', 'tool'] } })),
  content: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  images: imagesField,
  audio: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Recordings in base64: WAV, MP3, FLAC or Ogg Vorbis, for models with the capability `audio`. Not part of the Ollama API.',
    }),
  ),
  tool_calls: Type.Optional(Type.Array(RequestToolCall)),
  tool_name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
  mcp_calls: Type.Optional(
    Type.Array(RequestMcpCall, {
      description: 'Calls of MCP servers that the answer had, as its mcp_calls. Not part of the Ollama API.',
    }),
  ),
});

export const ChatRequestBody = Type.Object(
  {
    model: modelField,
    messages: Type.Optional(Type.Array(RequestMessage)),
    tools: Type.Optional(Type.Array(FunctionTool)),
    mcp: Type.Optional(
      Type.Unknown({
        description:
          'Tools of MCP servers that this server runs: true for all of GET /api/mcp, or an array of their names, or of objects {server, allowed_tools, denied_tools, require_approval}. Not part of the Ollama API.',
        documented: { type: 'boolean', const: false },
      }),
    ),
    collections: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Ids of collections (/api/collections): they are searched for the last message, and the answer cites passages by their numbers, such as [1]. Not part of the Ollama API.',
        maxItems: 16,
        documented: { maxItems: 0 },
      }),
    ),
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

const McpCall = Type.Object({
  ...mcpCallFields,
  arguments: Type.Record(Type.String(), Type.Unknown()),
  needs_approval: Type.Optional(
    Type.Literal(true, {
      description: 'The call has not run. The next request says whether it may: see mcp_calls of a message.',
    }),
  ),
});
export type ChatMcpCall = Wire<typeof McpCall>;

const McpProblem = Type.Object({ server: Type.String(), error: Type.String() });

const ChatPassage = Type.Object({
  number: Type.Integer({ description: 'By which the answer cites it.' }),
  ...PassageBody.properties,
});
export type ChatPassage = Wire<typeof ChatPassage>;

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
  mcp_calls: Type.Optional(
    Type.Array(McpCall, {
      description:
        'Calls of MCP servers that this server has run, or that need an approval. In a stream, each that runs is sent before and after it.',
    }),
  ),
  mcp_errors: Type.Optional(Type.Array(McpProblem, { description: 'MCP servers that do not answer.' })),
  passages: Type.Optional(
    Type.Array(ChatPassage, { description: 'What was found in the collections. In a stream, before the answer.' }),
  ),
  logprobs: Type.Optional(Type.Array(LogprobBody)),
  _debug_info: debugInfoField,
  ...statisticsFields,
});
export type ChatResponseBody = Wire<typeof ChatResponseBody>;
