// The bodies of POST /v1/messages and POST /v1/messages/count_tokens. Other fields are ignored, so that clients of any
// version are understood.

import { Type } from 'typebox';
import {
  documentedJsonSchema,
  keepAliveField,
  logitBiasField,
  modelField,
  optionFields,
  optionsField,
  quietField,
} from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

/** Documentation of content: the blocks that every model understands. */
const documentedContent = {
  anyOf: [
    { type: 'string' },
    {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: { const: 'text' }, text: { type: 'string' } },
        required: ['type', 'text'],
      },
    },
  ],
};

const RequestMessage = Type.Object({
  role: Type.String({ documented: { enum: ['user', 'assistant', 'system'] } }),
  content: Type.Optional(
    Type.Unknown({ description: 'A string, or an array of content blocks.', documented: documentedContent }),
  ),
});

const RequestTool = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description: 'custom, or mcp_toolset for the tools of an MCP server. Tools of other types are ignored.',
        documented: { const: 'custom' },
      }),
    ),
    name: Type.Optional(Type.String({ documented: { minLength: 1 } })),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(
      Type.Unknown({ description: 'A JSON schema; it is shown to the model.', documented: { type: 'object' } }),
    ),
    mcp_server_name: Type.Optional(
      Type.String({ description: 'With mcp_toolset: a server of mcp_servers, or one that this server lists.' }),
    ),
    default_config: Type.Optional(
      Type.Unknown({ description: 'With mcp_toolset: `enabled` of tools without one in configs.', documented: {} }),
    ),
    configs: Type.Optional(
      Type.Unknown({ description: 'With mcp_toolset: `enabled` of tools, by their names.', documented: {} }),
    ),
    strict: quietField,
    cache_control: quietField,
  },
  { documented: { required: ['name'] } },
);

const McpServer = Type.Object({
  type: Type.Optional(Type.String({ documented: { const: 'url' } })),
  name: Type.String(),
  url: Type.Optional(
    Type.String({
      description: 'Absent or empty: the name is that of a server of GET /api/mcp. Needs HEARTH_MCP_URLS.',
    }),
  ),
  authorization_token: Type.Optional(Type.String()),
  tool_configuration: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      allowed_tools: Type.Optional(Type.Array(Type.String(), { description: 'Absent: all.' })),
    }),
  ),
});

const OutputFormat = Type.Object(
  {
    type: Type.String({ documented: { enum: ['json_schema'] } }),
    schema: Type.Optional(
      Type.Unknown({
        description: 'A JSON schema; the answer conforms to it. Required.',
        // {} accepts any value.
        emptyValues: ['object'],
        documented: documentedJsonSchema,
      }),
    ),
  },
  { documented: { required: ['type', 'schema'] } },
);

const conversationFields = {
  model: modelField,
  messages: Type.Optional(Type.Array(RequestMessage, { documented: { minItems: 1 } })),
  system: Type.Optional(
    Type.Unknown({ description: 'A string, or an array of text blocks.', documented: documentedContent }),
  ),
  tools: Type.Optional(Type.Array(RequestTool)),
  tool_choice: Type.Optional(
    Type.Object(
      {
        type: Type.String({ documented: { enum: ['auto', 'any', 'tool', 'none'] } }),
        name: Type.Optional(
          Type.String({ description: 'The tool to call, with the type "tool".', documented: { minLength: 1 } }),
        ),
        disable_parallel_tool_use: Type.Optional(Type.Boolean({ description: 'True: at most one tool call.' })),
      },
      {
        documented: {
          if: { properties: { type: { const: 'tool' } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ['name'] },
        },
      },
    ),
  ),
  thinking: Type.Optional(
    Type.Object({
      type: Type.String({ description: '"enabled", "adaptive" or "disabled". Default: disabled.' }),
      budget_tokens: Type.Optional(
        Type.Integer({ description: 'Maximum number of tokens to think.', minimum: 1, zeroIsAbsent: true }),
      ),
      display: Type.Optional(Type.String({ description: '"omitted": the text of the thinking is not sent.' })),
    }),
  ),
  output_config: Type.Optional(
    Type.Object({
      effort: Type.Optional(Type.String({ documented: { enum: ['low', 'medium', 'high', 'xhigh', 'max'] } })),
      format: Type.Optional(OutputFormat),
    }),
  ),
  output_format: Type.Optional(OutputFormat),
  /** The next two are not part of the Anthropic API. */
  options: optionsField,
  keep_alive: keepAliveField,
};

const documented = {
  documented: {
    required: ['model', 'messages'],
    if: { properties: { tool_choice: { properties: { type: { enum: ['any', 'tool'] } } } }, required: ['tool_choice'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { tools: { minItems: 1 } }, required: ['tools'] },
  },
};

export const CountTokensRequestBody = Type.Object(conversationFields, documented);
export type CountTokensRequestBody = Wire<typeof CountTokensRequestBody>;

export const MessagesRequestBody = Type.Object(
  {
    ...optionFields,
    ...conversationFields,
    max_tokens: Type.Optional(
      Type.Integer({
        description: 'Maximum number of tokens to generate. Default: what fits.',
        minimum: 1,
        zeroIsAbsent: true,
      }),
    ),
    mcp_servers: Type.Optional(
      Type.Array(McpServer, {
        description: 'MCP servers whose tools this server calls.',
        documented: { maxItems: 0 },
      }),
    ),
    metadata: quietField,
    service_tier: quietField,
    cache_control: quietField,
    stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
    stop_sequences: Type.Optional(Type.Array(Type.String(), { documented: { maxItems: 128 } })),
    temperature: Type.Optional(Type.Number()),
    top_p: Type.Optional(Type.Number()),
    top_k: Type.Optional(Type.Integer()),
    /** Not part of the Anthropic API. */
    logit_bias: logitBiasField,
  },
  documented,
);
export type MessagesRequestBody = Wire<typeof MessagesRequestBody>;
