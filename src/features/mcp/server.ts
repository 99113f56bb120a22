// MCP servers whose tools this server calls for models.

import { toolEnvironment } from '../../base/config/child-environment.ts';
import { toClientTls } from '../../base/config/client-tls.ts';
import { processEnvironment } from '../../base/config/environment.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { ProcessGroups } from './connect/process-groups.ts';
import { mcpRoute } from './mcp-route.ts';
import { McpServers } from './servers/mcp-servers.ts';

export const mcpToolsServer = toServerFeature({
  operations: {
    'GET /api/mcp': {
      description:
        'Lists the MCP servers of HEARTH_MCP_CONFIG with their tools and states, after the built-in tools of HEARTH_BUILTIN_TOOLS. Servers that are not connected are connected, for at most ten seconds.',
      example: {},
    },
  },
  open({ settings, version, clock, logger }) {
    const toolServers = new McpServers({
      path: settings.mcpConfig,
      maxCalls: settings.mcpCalls,
      allowsUrls: settings.mcpUrls,
      callTimeoutMs: settings.mcpTimeout,
      environment: toolEnvironment(processEnvironment),
      groups: new ProcessGroups(),
      tls: toClientTls(settings),
      version,
      clock,
      logger,
    });
    return { toolServers, close: () => toolServers.close() };
  },
  routes: ({ toolServers }, { ownTools }) => [mcpRoute(toolServers, ownTools)],
});
