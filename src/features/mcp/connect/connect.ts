// Connects to an MCP server with the official SDK. Imported only when a server is connected: the SDK is large.

import { Client, type JsonSchemaValidator } from '@modelcontextprotocol/client';
import { messageOf } from '../../../base/errors.ts';
import type { Reach } from '../../../base/net/private-address.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ClientTls } from '../../../base/tls/client-context.ts';
import type { ToolResult } from '../../../server/services/tools/tool-server.ts';
import { mcpLimits } from '../limits.ts';
import { createHttpTransport, type OpenTransport } from './http-transport.ts';
import type { ProcessGroups } from './process-groups.ts';
import type { McpEntry } from './read-config.ts';
import { type ToolList, toResult, toToolList } from './read-tools.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectParts {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly groups: ProcessGroups;
  readonly reach: Reach;
  readonly tls: ClientTls;
  readonly clock: Clock;
}

export interface Connection {
  listTools(signal: AbortSignal): Promise<ToolList>;
  call(call: CallRequest, options: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

interface CallRequest {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

interface ConnectEvents {
  /** The connection has ended without a call of `close`. */
  readonly onLost: (reason: string) => void;
  readonly onToolsChanged: () => void;
}

/** Hostile schemas are not compiled: what a tool returns is text for a model, whatever it is. */
const anySchema = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

// A timer of Node cannot be longer.
const maxTimeoutMs = 2 ** 31 - 1;

/** Rejects with an error whose message is for people. */
export async function connectServer(
  entry: McpEntry,
  parts: ConnectParts,
  { onLost, onToolsChanged }: ConnectEvents,
): Promise<Connection> {
  const { transport, failureOf, release } = await createTransport(entry, parts);
  const client = new Client(
    { name: 'hearth', version: parts.version },
    {
      capabilities: {},
      jsonSchemaValidator: anySchema,
      // A program that does not know the question may never answer it.
      versionNegotiation: { mode: entry.kind === 'http' ? 'auto' : 'legacy' },
    },
  );
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await client.close().catch(() => {});
    await release();
  };
  client.onclose = () => {
    if (!isClosed) onLost(failureOf() ?? 'the server has closed the connection');
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
  try {
    await client.connect(transport, { timeout: mcpLimits.connectMs, maxTotalTimeout: mcpLimits.connectMs });
  } catch (error) {
    await close();
    throw new Error(failureOf() ?? messageOf(error));
  }
  /** A lost connection has a better reason than what the SDK says. */
  const explain = (error: unknown): never => {
    throw new Error(failureOf() ?? messageOf(error));
  };
  return {
    async listTools(signal) {
      const list: unknown[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < mcpLimits.pages && list.length <= mcpLimits.tools; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const options = { signal, timeout: mcpLimits.listMs, maxTotalTimeout: mcpLimits.listMs };
        const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options).catch(explain);
        list.push(...tools);
        if (nextCursor === undefined || nextCursor === cursor) break;
        cursor = nextCursor;
      }
      return toToolList(list);
    },
    async call({ name, values }, { signal, timeoutMs }) {
      const timeout = Math.min(timeoutMs, maxTimeoutMs);
      const options = { signal, timeout, maxTotalTimeout: timeout };
      return toResult(await client.callTool({ name, arguments: { ...values } }, options).catch(explain));
    },
    close,
  };
}

async function createTransport(entry: McpEntry, parts: ConnectParts): Promise<OpenTransport> {
  if (entry.kind === 'stdio') {
    const transport = new StdioTransport(entry, parts);
    return { transport, failureOf: () => transport.failure, release: async () => {} };
  }
  return createHttpTransport(entry, parts);
}
