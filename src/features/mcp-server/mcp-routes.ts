// POST and DELETE /mcp. GET, which would open a stream for messages that answer no request, has status 405, as the protocol
// allows: this server sends none.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../server/http/route.ts';
import { mcpDialect } from './mcp-dialect.ts';
import { McpMessageBody } from './mcp-schema.ts';
import type { McpSessions } from './mcp-sessions.ts';

/** `open` is called by the first request. */
export function mcpRoutes(open: () => Promise<Pick<McpSessions, 'handle'>>): Route[] {
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    (await open()).handle(request, reply);
  const common = { dialect: mcpDialect, path: '/mcp', scope: 'infer', handle } as const;
  return [
    {
      ...common,
      method: 'POST',
      summary: 'Send a message of the Model Context Protocol',
      body: McpMessageBody,
      exactBody: true,
      streams: McpMessageBody,
    },
    { ...common, method: 'DELETE', summary: 'End a session' },
  ];
}
