// GET /api/mcp on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const McpTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  input_schema: Type.Record(Type.String(), Type.Unknown()),
  read_only: Type.Optional(Type.Boolean({ description: 'The server says that the tool changes nothing.' })),
});

const McpServerBody = Type.Object({
  name: Type.String(),
  transport: Type.Enum(['stdio', 'http', 'builtin']),
  state: Type.Enum(['idle', 'starting', 'ready', 'failed']),
  error: Type.Optional(Type.String({ description: 'The last failure, also if the server works again.' })),
  tools: Type.Array(McpTool),
  tools_left_out: Type.Optional(Type.Integer({ description: 'Tools beyond the limits of number and size.' })),
});
export type McpServerBody = Wire<typeof McpServerBody>;

export const McpResponseBody = Type.Object({
  servers: Type.Array(McpServerBody),
  error: Type.Optional(Type.String({ description: 'Why the file of servers cannot be used.' })),
});
export type McpResponseBody = Wire<typeof McpResponseBody>;
