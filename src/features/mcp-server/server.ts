// Hearth as a server of the Model Context Protocol: its models are tools of other programs. The SDK is loaded by the first
// request.

import { toServerFeature } from '../../server/server-feature.ts';
import { mcpRoutes } from './mcp-routes.ts';
import type { McpSessions } from './mcp-sessions.ts';

interface Opened {
  readonly openSessions: () => Promise<McpSessions>;
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'example', version: '1' } },
};

export const mcpServer = toServerFeature<Opened>({
  operations: {
    'POST /mcp': {
      description:
        'Takes a message of the Model Context Protocol, over streamable HTTP. The tools are chat, embed, list_models, list_collections and search_collection. The first message initializes a session, whose id the response has in the header mcp-session-id; later requests carry it.',
      example: { body: initialize },
    },
    'DELETE /mcp': {
      description: 'Ends a session, and the requests that run in it.',
      example: { headers: { 'mcp-session-id': '0b6f4b0e-5b1c-4d5e-9a0e-3f1f6f0c2a77' } },
    },
  },
  open({ version, requests, clock, logger }) {
    let opened: Promise<McpSessions> | undefined;
    const open = async (): Promise<McpSessions> => {
      const [{ McpSessions: Sessions }, { createMcpServers }] = await Promise.all([
        import('./mcp-sessions.ts'),
        import('./create-mcp-server.ts'),
      ]);
      return new Sessions(createMcpServers({ version, requests, clock, logger }));
    };
    return {
      openSessions() {
        opened ??= open();
        return opened;
      },
      close: async () => (await opened)?.close(),
    };
  },
  routes: ({ openSessions }) => mcpRoutes(openSessions),
});
