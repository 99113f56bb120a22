// Errors of a request that the protocol does not see, in its form: JSON-RPC without an id.

import type { ErrorCode, HearthError } from '../../base/errors.ts';
import { eventStream, frameData } from '../../server/dialects/shared/sdk-conventions.ts';
import type { ApiDialect } from '../../server/http/dialect.ts';
import { statusOf } from '../../server/http/error-status.ts';
import { McpErrorBody } from './mcp-schema.ts';

const parseError = -32_700;
const serverError = -32_000;

const rpcCodes: Readonly<Partial<Record<ErrorCode, number>>> = {
  bad_request: -32_600,
  method_not_allowed: -32_600,
  internal: -32_603,
  // The number that the SDKs use.
  session_not_found: -32_001,
};

const toErrorBody = ({ code, message, cause }: HearthError): McpErrorBody => ({
  jsonrpc: '2.0',
  id: null,
  error: {
    code: cause instanceof SyntaxError ? parseError : (rpcCodes[code] ?? serverError),
    message,
    data: { code },
  },
});

export const mcpDialect: ApiDialect = {
  name: 'MCP',
  errorSchema: McpErrorBody,
  statusOf: (code) => statusOf[code],
  toErrorBody,
  framing: { ...eventStream, frame: frameData, frameError: (error) => frameData(toErrorBody(error)), end: '' },
};
