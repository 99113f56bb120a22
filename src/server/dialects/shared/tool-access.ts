// Who may have the server call tools of MCP servers.

import type { FastifyRequest } from 'fastify';
import { requireKeyOrThisMachine } from '../../http/access/from-this-machine.ts';

/** The programs of MCP servers run with the rights of this server. */
export function requireToolAccess(request: FastifyRequest): void {
  requireKeyOrThisMachine(request, 'without keys, MCP servers can be used only on the machine of the server');
}
