// The bodies of POST /v1/responses, /v1/responses/compact and /v1/responses/input_tokens. Other fields are ignored, so that clients of any
// version are understood.

import { Type } from 'typebox';
import {
  keepAliveField,
  logitBiasField,
  modelField,
  optionFields,
  optionsField,
  quietField,
  templateVariablesField,
} from '../../../shared/common-fields-schema.ts';
import type { Wire } from '../../../shared/wire-schema.ts';
import {
  formatFields,
  generationFields,
  numCtxField,
  tokenLimitField,
  truncationField,
} from '../../generation-schema.ts';

const documentedItem = {
  type: 'object',
  properties: { role: { enum: ['user', 'assistant', 'system', 'developer'] }, content: { type: 'string' } },
  required: ['role', 'content'],
};

const documentedTool = {
  type: 'object',
  properties: {
    type: { const: 'function' },
    name: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    parameters: { type: 'object' },
  },
  required: ['type', 'name'],
};

const TextFormat = Type.Object({
  type: Type.String({ documented: { enum: ['text', 'json_object'] } }),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  schema: Type.Optional(
    Type.Unknown({
      description: 'For the type json_schema: the answer conforms to it.',
      // {} accepts any value.
      emptyValues: ['object'],
      documented: { type: 'object' },
    }),
  ),
  strict: Type.Optional(Type.Boolean()),
});

export const Verbosity = Type.Enum(['low', 'medium', 'high']);

const conversationFields = {
  model: modelField,
  input: Type.Optional(
    Type.Unknown({
      description: 'A string, or an array of items. Items of unknown types are ignored.',
      documented: {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', items: documentedItem, minItems: 1 },
        ],
      },
    }),
  ),
  instructions: Type.Optional(
    Type.String({ description: 'The system message; responses that follow do not have it.' }),
  ),
  previous_response_id: Type.Optional(Type.String({ description: 'A stored response that this request continues.' })),
  conversation: Type.Optional(Type.Unknown({ description: 'Not supported.', documented: { type: 'null' } })),
  prompt: Type.Optional(Type.Unknown({ description: 'Not supported.', documented: { type: 'null' } })),
  tools: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        'Functions, namespaces of functions, custom tools, and what this server runs: tools of MCP servers (type mcp) and searches of collections (type file_search). Tools of other types are ignored.',
      documented: { items: documentedTool },
    }),
  ),
  tool_choice: Type.Optional(
    Type.Unknown({
      description: '"none", "auto", "required", an object that names a tool, or one of the type allowed_tools.',
      documented: { enum: ['none', 'auto'] },
    }),
  ),
  parallel_tool_calls: Type.Optional(Type.Boolean({ description: 'False: at most one tool call.' })),
  reasoning: Type.Optional(
    Type.Object({
      effort: Type.Optional(
        Type.String({ documented: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] } }),
      ),
      summary: Type.Optional(
        Type.String({
          description: 'If given, the thinking is sent as the summary of its item, otherwise as its content.',
          documented: { enum: ['auto', 'concise', 'detailed'] },
        }),
      ),
    }),
  ),
  chat_template_kwargs: templateVariablesField,
  text: Type.Optional(Type.Object({ format: Type.Optional(TextFormat), verbosity: Type.Optional(Verbosity) })),
  truncation: truncationField,
  /** The next three are not part of the OpenAI API. */
  options: optionsField,
  num_ctx: numCtxField,
  keep_alive: keepAliveField,
};

// `text.format` is the name of this API for the first.
const { response_format: _, ...guidedFields } = formatFields;

const documented = { documented: { required: ['model', 'input'] } };

export const InputTokensRequestBody = Type.Object(conversationFields, documented);
export type InputTokensRequestBody = Wire<typeof InputTokensRequestBody>;

export const CompactRequestBody = Type.Object(
  { ...conversationFields, prompt_cache_key: Type.Optional(Type.String()), service_tier: Type.Optional(Type.String()) },
  documented,
);
export type CompactRequestBody = Wire<typeof CompactRequestBody>;

export const ResponsesRequestBody = Type.Object(
  {
    ...optionFields,
    ...guidedFields,
    ...conversationFields,
    type: Type.Optional(Type.String({ description: 'Over a WebSocket: "response.create".' })),
    stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
    stream_options: Type.Optional(Type.Object({ include_obfuscation: quietField })),
    store: Type.Optional(Type.Boolean({ description: 'False: the response is not stored. Default: true.' })),
    background: Type.Optional(
      Type.Boolean({ description: 'True: the response is generated even if the client disconnects.' }),
    ),
    max_output_tokens: tokenLimitField,
    temperature: Type.Optional(Type.Number()),
    top_p: Type.Optional(Type.Number()),
    presence_penalty: Type.Optional(Type.Number()),
    frequency_penalty: Type.Optional(Type.Number()),
    stop: generationFields.stop,
    logit_bias: logitBiasField,
    top_logprobs: Type.Optional(Type.Integer({ documented: { minimum: 0, maximum: 20 } })),
    max_tool_calls: Type.Optional(Type.Integer({ description: 'The most calls of tools that this server runs.' })),
    include: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Such as file_search_call.results: items have the passages that were found.',
      }),
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    prompt_cache_key: Type.Optional(Type.String()),
    safety_identifier: Type.Optional(Type.String()),
    user: Type.Optional(Type.String()),
    service_tier: Type.Optional(Type.String()),
  },
  documented,
);
export type ResponsesRequestBody = Wire<typeof ResponsesRequestBody>;
