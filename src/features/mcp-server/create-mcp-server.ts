// Connects the tools with the SDK: a server for each session.

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { type ErrorCode, HearthError, requestCanceled, toHearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { currentRequest, type RequestScope } from '../../base/request/request-scope.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createCheckBody } from '../../server/http/body.ts';
import type { InternalRequests } from '../../server/http/internal-requests.ts';
import { type ChatProgress, type HearthTool, hearthTools, type SendRequest } from './hearth-tools.ts';

interface McpServerParts {
  readonly version: string;
  readonly requests: Pick<InternalRequests, 'stream'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const tools = new Map(hearthTools.map((tool) => [tool.name, tool]));

const listed = hearthTools.map(({ name, title, description, input, output }) => ({
  name,
  title,
  description,
  inputSchema: toPlain(input),
  outputSchema: toPlain(output),
  annotations: { readOnlyHint: true, openWorldHint: false },
}));

/** A function that creates servers. What they have in common is created once. */
export function createMcpServers({ version, requests, clock, logger }: McpServerParts): () => Server {
  const checkArguments = createCheckBody();
  const call = async (tool: HearthTool, given: object, { mcpReq }: ServerContext): Promise<CallToolResult> => {
    // Requests run in their scope.
    const scope = currentRequest() as RequestScope;
    try {
      await checkArguments(tool.input, given);
      const onProgress = createProgress(mcpReq, clock);
      const { text, structured } = await tool.call(given, {
        send: createSend(requests, scope, mcpReq.signal),
        onProgress,
      });
      return { content: [{ type: 'text', text }], structuredContent: structured };
    } catch (thrown) {
      return toErrorResult(toHearthError(thrown), logger);
    }
  };
  return () => {
    const server = new Server(
      { name: 'hearth', title: 'Hearth', version },
      { capabilities: { tools: {} }, jsonSchemaValidator: noValidator },
    );
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, context) => {
      const tool = tools.get(name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
      return call(tool, given, context);
    });
    return server;
  };
}

/** The SDK validates what users enter, which this server never asks for. Its own validator takes longer than the rest of a session. */
const noValidator = {
  getValidator(): never {
    throw new Error('this server asks for no input');
  },
};

/** Without the marks of typebox, as JSON has it. */
function toPlain(schema: object): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema));
}

/** A model that reads the error can try again with other arguments. */
function toErrorResult({ code, message, stack }: HearthError, logger: Logger): CallToolResult {
  if (code === 'internal') logger.error(String(stack));
  return { isError: true, content: [{ type: 'text', text: `${message} (${code})` }] };
}

function createSend(requests: Pick<InternalRequests, 'stream'>, scope: RequestScope, signal: AbortSignal): SendRequest {
  const { client, partition, key } = scope;
  return async (path, body, onObject) => {
    let failure: { readonly error: string; readonly code?: ErrorCode } | undefined;
    const onLine = (line: string): void => {
      const object = JSON.parse(line) as object;
      if ('error' in object) failure = object as typeof failure;
      else onObject(object);
    };
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const input = { path, body: bytes, sender: { keyId: key?.id, client, partition }, signal };
    if (signal.aborted) throw requestCanceled();
    await requests.stream(input, onLine);
    if (failure !== undefined) throw new HearthError(failure.code ?? 'request_failed', failure.error);
  };
}

const progressGapMs = 100;

/** Notifies a client that has asked for it, a few times in a second. */
function createProgress({ _meta, notify }: ServerContext['mcpReq'], clock: Clock): (progress: ChatProgress) => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let dueMs = Number.NEGATIVE_INFINITY;
  let unsent = '';
  return ({ tokens: progress, maxTokens: total, text }) => {
    unsent += text;
    if (clock.now() < dueMs) return;
    const message = unsent;
    unsent = '';
    dueMs = clock.now() + progressGapMs;
    const params = { progressToken, progress, total, message };
    // Fails if the client has disconnected, which cancels the request.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
