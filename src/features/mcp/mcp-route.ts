// GET /api/mcp

import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { requireToolAccess } from '../../server/dialects/shared/tool-access.ts';
import type { Route } from '../../server/http/route.ts';
import { McpResponseBody, type McpServerBody } from './mcp-schema.ts';
import type { McpServerState } from './servers/mcp-server.ts';
import type { McpServers } from './servers/mcp-servers.ts';

// A server that starts for longer is shown as starting.
const waitMs = 10_000;

export function mcpRoute(servers: McpServers): Route {
  return {
    dialect: ollamaDialect,
    scope: 'infer',
    tag: 'Server',
    method: 'GET',
    path: '/api/mcp',
    summary: 'List the MCP servers and their tools',
    response: McpResponseBody,
    async handle(request): Promise<McpResponseBody> {
      requireToolAccess(request);
      const { key } = request.scope;
      // Errors may have paths of the server.
      const showsErrors = key === undefined || key.scope !== 'infer';
      const list = await servers.describe(waitMs);
      return {
        servers: list.map((server) => toBody(server, showsErrors)),
        error: showsErrors ? servers.fileError : undefined,
      };
    },
  };
}

function toBody({ name, kind, state, lastError, tools, leftOut }: McpServerState, showsErrors: boolean): McpServerBody {
  return {
    name,
    transport: kind,
    state,
    error: showsErrors ? lastError : undefined,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.parameters,
      read_only: tool.isReadOnly,
    })),
    tools_left_out: leftOut === 0 ? undefined : leftOut,
  };
}
