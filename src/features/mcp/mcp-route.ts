// GET /api/mcp

import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { requireToolAccess } from '../../server/dialects/shared/tool-access.ts';
import type { Route } from '../../server/http/route.ts';
import type { ServerTool, ToolServer } from '../../server/services/tools/tool-server.ts';
import { McpResponseBody, type McpServerBody } from './mcp-schema.ts';
import type { McpServerState } from './servers/mcp-server.ts';
import type { McpServers } from './servers/mcp-servers.ts';

// A server that starts for longer is shown as starting.
const waitMs = 10_000;

/** `ownTools`: those of Hearth itself. They hide a listed server with their name. */
export function mcpRoute(servers: McpServers, ownTools: () => ToolServer | undefined): Route {
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
      const own = ownTools();
      const listed = list.filter(({ name }) => name !== own?.name).map((server) => toBody(server, showsErrors));
      return {
        servers: own === undefined ? listed : [await describeOwn(own, request.scope.signal), ...listed],
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
    tools: tools.map(toToolBody),
    tools_left_out: leftOut === 0 ? undefined : leftOut,
  };
}

async function describeOwn(server: ToolServer, signal: AbortSignal): Promise<McpServerBody> {
  const tools = await server.listTools(signal);
  return { name: server.name, transport: 'builtin', state: 'ready', tools: tools.map(toToolBody) };
}

function toToolBody({ name, description, parameters, isReadOnly }: ServerTool): McpServerBody['tools'][number] {
  return { name, description, input_schema: parameters, read_only: isReadOnly };
}
