// The response of POST /v1/messages: one message, or the events of a stream.

import { Type } from 'typebox';
import { nullable, violationsField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const StopReason = Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded']);
export type StopReason = Wire<typeof StopReason>;

const countFields = {
  input_tokens: Type.Integer({ description: 'Prompt tokens without those of the cache.' }),
  cache_read_input_tokens: Type.Integer({ description: 'Prompt tokens that earlier requests evaluated.' }),
  cache_creation_input_tokens: Type.Integer({ description: 'Always 0: caching costs nothing.' }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ thinking_tokens: Type.Integer() }),
  server_tool_use: Type.Null(),
};
const DeltaUsage = Type.Object(countFields);
export type DeltaUsage = Wire<typeof DeltaUsage>;

const Usage = Type.Object({
  ...countFields,
  cache_creation: Type.Object({ ephemeral_5m_input_tokens: Type.Integer(), ephemeral_1h_input_tokens: Type.Integer() }),
  inference_geo: Type.Null(),
  service_tier: Type.Null(),
  speed: Type.Null(),
});
export type MessageUsage = Wire<typeof Usage>;

const ThinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.String({ description: 'Always empty: thinking is accepted without one.' }),
});
const TextBlock = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  // Null is in Anthropic's types too, but some clients reject it, and others need the field.
  citations: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' }),
});
const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String(),
  name: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
  caller: Type.Object({ type: Type.Literal('direct') }),
});
const McpToolUseBlock = Type.Object({
  type: Type.Literal('mcp_tool_use'),
  id: Type.String(),
  name: Type.String(),
  server_name: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
});
const McpToolResultBlock = Type.Object({
  type: Type.Literal('mcp_tool_result'),
  tool_use_id: Type.String(),
  is_error: Type.Boolean(),
  content: Type.Array(TextBlock),
});
const Block = Type.Union([ThinkingBlock, TextBlock, ToolUseBlock, McpToolUseBlock, McpToolResultBlock]);
export type ResponseBlock = Wire<typeof Block>;

const stopFields = {
  stop_reason: nullable(StopReason),
  stop_sequence: nullable(Type.String({ description: 'The stop sequence that ended the answer.' })),
  stop_details: Type.Null(),
  container: Type.Null(),
  schema_violations: violationsField,
};

export const MessageResponseBody = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Block),
  ...stopFields,
  diagnostics: Type.Null(),
  usage: Usage,
});
export type MessageResponseBody = Wire<typeof MessageResponseBody>;

const Delta = Type.Union([
  Type.Object({ type: Type.Literal('thinking_delta'), thinking: Type.String() }),
  Type.Object({ type: Type.Literal('signature_delta'), signature: Type.String() }),
  Type.Object({ type: Type.Literal('text_delta'), text: Type.String() }),
  Type.Object({ type: Type.Literal('input_json_delta'), partial_json: Type.String() }),
]);
export type BlockDelta = Wire<typeof Delta>;

export const MessageEvent = Type.Union([
  Type.Object({ type: Type.Literal('message_start'), message: MessageResponseBody }),
  Type.Object({ type: Type.Literal('ping') }),
  Type.Object({ type: Type.Literal('content_block_start'), index: Type.Integer(), content_block: Block }),
  Type.Object({ type: Type.Literal('content_block_delta'), index: Type.Integer(), delta: Delta }),
  Type.Object({ type: Type.Literal('content_block_stop'), index: Type.Integer() }),
  Type.Object({ type: Type.Literal('message_delta'), delta: Type.Object(stopFields), usage: DeltaUsage }),
  Type.Object({ type: Type.Literal('message_stop') }),
]);
export type MessageEvent = Wire<typeof MessageEvent>;

export const CountTokensResponseBody = Type.Object({ input_tokens: Type.Integer() });
export type CountTokensResponseBody = Wire<typeof CountTokensResponseBody>;
