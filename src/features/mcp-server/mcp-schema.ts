// POST /mcp on the wire: a message of JSON-RPC, as the Model Context Protocol (MCP) defines it. The SDK checks the rest.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const McpMessageBody = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(
    Type.Unknown({ description: 'A string or an integer. Absent: a notification.', documented: { type: 'integer' } }),
  ),
  method: Type.Optional(
    Type.String({
      description: 'initialize, tools/list, tools/call, ping, or a notification. Absent: a response.',
      documented: { enum: ['initialize', 'ping', 'tools/list', 'tools/call', 'notifications/initialized'] },
    }),
  ),
  params: Type.Optional(Type.Object({ arguments: Type.Optional(Type.Unknown({ documented: { type: 'object' } })) })),
  result: Type.Optional(Type.Unknown({ documented: { type: 'object' } })),
  error: Type.Optional(Type.Unknown({ documented: { type: 'object' } })),
});
export type McpMessageBody = Wire<typeof McpMessageBody>;

export const McpErrorBody = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Null({ description: 'The request was not read.' }),
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    data: Type.Optional(Type.Object({ code: Type.String({ description: "Hearth's code of the error." }) })),
  }),
});
export type McpErrorBody = Wire<typeof McpErrorBody>;
