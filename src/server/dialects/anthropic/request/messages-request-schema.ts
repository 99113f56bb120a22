// The bodies of POST /v1/messages and POST /v1/messages/count_tokens. Other fields are ignored, so that clients of any
// version are understood.

import { Type } from 'typebox';
import { keepAliveField, modelField, optionsField } from '../../common-fields-schema.ts';
import type { Wire } from '../../wire-schema.ts';

const RequestMessage = Type.Object({
  role: Type.String({ description: '"user", "assistant" or "system".' }),
  content: Type.Optional(Type.Unknown({ description: 'A string, or an array of content blocks.' })),
});

const RequestTool = Type.Object({
  type: Type.Optional(Type.String({ description: 'Absent or "custom"; tools of other types are ignored.' })),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  input_schema: Type.Optional(Type.Unknown({ description: 'A JSON schema; it is shown to the model.' })),
});

const OutputFormat = Type.Object({
  type: Type.String({ description: '"json_schema".' }),
  schema: Type.Optional(Type.Unknown({ description: 'A JSON schema; the answer conforms to it.' })),
});

const conversationFields = {
  model: modelField,
  messages: Type.Optional(Type.Array(RequestMessage)),
  system: Type.Optional(Type.Unknown({ description: 'A string, or an array of text blocks.' })),
  tools: Type.Optional(Type.Array(RequestTool)),
  tool_choice: Type.Optional(
    Type.Object({
      type: Type.String({ description: '"auto", "any", "tool" or "none".' }),
      name: Type.Optional(Type.String({ description: 'The tool to call, with the type "tool".' })),
      disable_parallel_tool_use: Type.Optional(Type.Boolean({ description: 'True: at most one tool call.' })),
    }),
  ),
  thinking: Type.Optional(
    Type.Object({
      type: Type.String({ description: '"enabled", "adaptive" or "disabled". Default: disabled.' }),
      budget_tokens: Type.Optional(Type.Integer({ description: 'Maximum number of tokens to think.' })),
      display: Type.Optional(Type.String({ description: '"omitted": the text of the thinking is not sent.' })),
    }),
  ),
  output_config: Type.Optional(
    Type.Object({
      effort: Type.Optional(Type.String({ description: '"low", "medium", "high", "xhigh" or "max".' })),
      format: Type.Optional(OutputFormat),
    }),
  ),
  output_format: Type.Optional(OutputFormat),
  /** The next two are not part of the Anthropic API. */
  options: optionsField,
  keep_alive: keepAliveField,
};

export const CountTokensRequestBody = Type.Object(conversationFields);
export type CountTokensRequestBody = Wire<typeof CountTokensRequestBody>;

export const MessagesRequestBody = Type.Object({
  ...conversationFields,
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Maximum number of tokens to generate. Default: what fits.' }),
  ),
  stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
  stop_sequences: Type.Optional(Type.Array(Type.String())),
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  top_k: Type.Optional(Type.Integer()),
});
export type MessagesRequestBody = Wire<typeof MessagesRequestBody>;
