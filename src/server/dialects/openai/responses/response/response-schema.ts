// The response of POST /v1/responses as one object.

import { Type } from 'typebox';
import { nullable, violationsField } from '../../../shared/common-fields-schema.ts';
import type { Wire } from '../../../shared/wire-schema.ts';
import { OutputLogprob } from '../../generation-schema.ts';
import { Verbosity } from '../request/responses-request-schema.ts';

const ItemStatus = Type.Enum(['in_progress', 'completed', 'incomplete']);
export type ItemStatus = Wire<typeof ItemStatus>;

export const FileCitation = Type.Object({
  type: Type.Literal('file_citation'),
  index: Type.Integer({ description: 'Where the text has the number of the passage.' }),
  file_id: Type.String(),
  filename: Type.String(),
});
export type FileCitation = Wire<typeof FileCitation>;

const SearchResult = Type.Object({
  file_id: Type.String(),
  filename: Type.String(),
  score: Type.Number(),
  attributes: nullable(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]))),
  text: Type.String(),
});

export const OutputTextPart = Type.Object({
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: Type.Array(FileCitation),
  logprobs: Type.Array(OutputLogprob),
});
export const ReasoningTextPart = Type.Object({ type: Type.Literal('reasoning_text'), text: Type.String() });
export const SummaryTextPart = Type.Object({ type: Type.Literal('summary_text'), text: Type.String() });

const MessagePhase = Type.Enum(['commentary', 'final_answer'], {
  description: 'The last message of a response is the final answer; those before other items are commentary.',
});
export type MessagePhase = Wire<typeof MessagePhase>;

const itemFields = { id: Type.String(), status: ItemStatus };
const namespaceField = {
  namespace: Type.Optional(Type.String({ description: 'The namespace of the tool, if it has one.' })),
};

export const OutputItem = Type.Union([
  Type.Object({
    ...itemFields,
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    content: Type.Array(OutputTextPart),
    phase: Type.Optional(MessagePhase),
  }),
  Type.Object({
    ...itemFields,
    type: Type.Literal('reasoning'),
    summary: Type.Array(SummaryTextPart),
    content: Type.Optional(Type.Array(ReasoningTextPart)),
  }),
  Type.Object({
    ...itemFields,
    type: Type.Literal('function_call'),
    call_id: Type.String(),
    name: Type.String(),
    ...namespaceField,
    arguments: Type.String({ description: 'JSON.' }),
  }),
  Type.Object({
    ...itemFields,
    type: Type.Literal('custom_tool_call'),
    call_id: Type.String(),
    name: Type.String(),
    ...namespaceField,
    input: Type.String(),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('file_search_call'),
    status: Type.Enum(['in_progress', 'completed', 'failed']),
    queries: Type.Array(Type.String()),
    results: nullable(Type.Array(SearchResult)),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('mcp_list_tools'),
    server_label: Type.String(),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        input_schema: Type.Unknown(),
        annotations: nullable(Type.Object({ read_only: Type.Boolean() })),
      }),
    ),
    error: nullable(Type.String()),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('mcp_call'),
    status: Type.Enum(['in_progress', 'completed', 'failed']),
    server_label: Type.String(),
    name: Type.String(),
    arguments: Type.String({ description: 'JSON.' }),
    output: nullable(Type.String()),
    error: nullable(Type.String()),
    approval_request_id: nullable(Type.String()),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('mcp_approval_request'),
    server_label: Type.String(),
    name: Type.String(),
    arguments: Type.String({ description: 'JSON.' }),
  }),
]);
export type OutputItem = Wire<typeof OutputItem>;

const Usage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({
    cached_tokens: Type.Integer({ description: 'The part of `input_tokens` that was evaluated by earlier requests.' }),
  }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({
    reasoning_tokens: Type.Integer({ description: 'The part of `output_tokens` that is thinking.' }),
  }),
  total_tokens: Type.Integer(),
});
export type ResponseUsage = Wire<typeof Usage>;

const ResponseStatus = Type.Enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']);

/** Every field is always there: some clients refuse a response without one. */
export const ResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer({ description: 'Seconds since the epoch.' }),
  completed_at: nullable(Type.Integer()),
  status: ResponseStatus,
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  frequency_penalty: Type.Number(),
  incomplete_details: nullable(Type.Object({ reason: Type.Literal('max_output_tokens') })),
  instructions: nullable(Type.String()),
  max_output_tokens: nullable(Type.Integer()),
  max_tool_calls: nullable(Type.Integer()),
  model: Type.String(),
  output: Type.Array(OutputItem),
  parallel_tool_calls: Type.Boolean(),
  presence_penalty: Type.Number(),
  previous_response_id: nullable(Type.String()),
  prompt: Type.Null(),
  prompt_cache_key: nullable(Type.String()),
  reasoning: Type.Object({ effort: nullable(Type.String()), summary: nullable(Type.String()) }),
  safety_identifier: nullable(Type.String()),
  service_tier: Type.Literal('default'),
  store: Type.Boolean(),
  temperature: Type.Number(),
  text: Type.Object({ format: Type.Object({ type: Type.String() }), verbosity: Type.Optional(Verbosity) }),
  tool_choice: Type.Unknown(),
  tools: Type.Array(Type.Unknown()),
  top_logprobs: Type.Integer(),
  top_p: Type.Number(),
  truncation: Type.Enum(['auto', 'disabled']),
  usage: nullable(Usage),
  user: nullable(Type.String()),
  background: Type.Boolean(),
  conversation: Type.Null(),
  metadata: Type.Record(Type.String(), Type.String()),
  schema_violations: violationsField,
});
export type ResponseBody = Wire<typeof ResponseBody>;

export const InputTokensResponseBody = Type.Object({
  object: Type.Literal('response.input_tokens'),
  input_tokens: Type.Integer(),
});
export type InputTokensResponseBody = Wire<typeof InputTokensResponseBody>;

export const DeletedResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
});
export type DeletedResponseBody = Wire<typeof DeletedResponseBody>;

export const InputItemsResponseBody = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ id: Type.String(), type: Type.String() })),
  first_id: nullable(Type.String()),
  last_id: nullable(Type.String()),
  has_more: Type.Boolean(),
});
export type InputItemsResponseBody = Wire<typeof InputItemsResponseBody>;

export const CompactionBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Type.Integer({ description: 'Seconds since the epoch.' }),
  output: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.Literal('compaction'),
      encrypted_content: Type.String({ description: 'The summary, as a text that is not encrypted.' }),
    }),
    { description: 'The start of the `input` of later requests.' },
  ),
  usage: Usage,
});
export type CompactionBody = Wire<typeof CompactionBody>;
