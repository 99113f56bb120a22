// Tools of MCP servers in /api/chat: which the request offers, their calls in the answer, and those of earlier answers in
// messages.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../../../base/errors.ts';
import { isObject } from '../../../../base/json-values.ts';
import type { ConversationMessage } from '../../../../inference/model/conversation.ts';
import { type ServerChoice, toOfferedName } from '../../../services/tools/offered-tools.ts';
import type { ToolRequest } from '../../../services/tools/tool-chat.ts';
import type { ServerCall, ServerTool, ToolResult } from '../../../services/tools/tool-server.ts';
import { invalid, objectOf, stringOf } from '../../shared/read-fields.ts';
import { requireToolAccess } from '../../shared/tool-access.ts';
import { readApproval, readToolFilter, refusalText } from '../../shared/tool-filters.ts';
import type { ChatMcpCall, ChatRequestBody, ChatRequestMessage } from './chat-schema.ts';

const maxNamedServers = 64;
// About 2400 tokens.
const maxPassages = 8;

/** Undefined: the caller runs all tools, and nothing is searched. */
export function readToolRequest(
  request: FastifyRequest,
  { mcp, collections, messages = [] }: ChatRequestBody,
): ToolRequest | undefined {
  const approved = (messages.at(-1)?.mcp_calls ?? []).filter(isApproved).map(toServerCall);
  const offersTools = mcp !== undefined && mcp !== null && mcp !== false;
  if (offersTools) requireToolAccess(request);
  else if (approved.length > 0) throw invalid('mcp_calls', 'a call is approved, but mcp offers no tools');
  const search = readSearch(request, collections);
  if (!offersTools && search === undefined) return undefined;
  return { servers: offersTools ? readServers(mcp) : [], approved, search, searchesFirst: true };
}

function readSearch({ scope }: FastifyRequest, collections: readonly string[] = []): ToolRequest['search'] {
  if (collections.length === 0) return undefined;
  const { key, client } = scope;
  return { collections: [...new Set(collections)], keyId: key?.id, client, limit: maxPassages };
}

function readServers(mcp: unknown): ToolRequest['servers'] {
  if (mcp === true) return 'all';
  if (!Array.isArray(mcp) || mcp.length > maxNamedServers)
    throw new HearthError(
      'bad_request',
      `mcp: expected a boolean, or an array of at most ${maxNamedServers} MCP servers`,
    );
  const choices = mcp.map((given: unknown, index) => readServer(given, `mcp.${index}`));
  return [...new Map(choices.map((choice) => [choice.name, choice])).values()];
}

/** A name, or an object with the fields of OpenAI's tools of this kind. */
function readServer(given: unknown, where: string): ServerChoice {
  if (typeof given === 'string') return { name: given };
  const { server, allowed_tools, denied_tools, require_approval } = objectOf(given, where);
  const isAllowed = readToolFilter(allowed_tools, `${where}.allowed_tools`) ?? (() => true);
  const isDenied = readToolFilter(denied_tools, `${where}.denied_tools`) ?? (() => false);
  return {
    name: stringOf(server, `${where}.server`),
    allows: (tool: ServerTool) => isAllowed(tool) && !isDenied(tool),
    needsApproval: readApproval(require_approval, `${where}.require_approval`, 'never'),
  };
}

export function toMcpCall({ id, server, tool, values }: ServerCall, result?: ToolResult): ChatMcpCall {
  const outcome = result === undefined ? {} : { result: result.text, is_error: result.isError };
  return { id, server, tool, arguments: values, ...outcome };
}

/** Whether a stream has nothing more to say about the call. */
export function isSettled({ result, needs_approval: waits }: ChatMcpCall): boolean {
  return result !== undefined || waits === true;
}

type GivenCall = NonNullable<ChatRequestMessage['mcp_calls']>[number];

function isApproved({ result, approved }: GivenCall): boolean {
  return approved === true && result === undefined;
}

function toServerCall({ id, server, tool, arguments: values = {} }: GivenCall): ServerCall {
  if (!isObject(values)) throw invalid('mcp_calls', 'the arguments of a call must be an object');
  return { id, server, tool, values, approval: id };
}

/** A message with the calls in it and their results. What was approved in the last one is added when it runs. */
export function toMcpMessages(
  given: ChatRequestMessage,
  message: ConversationMessage,
  isLast: boolean,
): ConversationMessage[] {
  const calls = (given.mcp_calls ?? []).filter((call) => !(isLast && isApproved(call)));
  if (calls.length === 0) return [message];
  const toolCalls = calls.map((call) => {
    const { id, tool, values } = toServerCall(call);
    return { id, name: toOfferedName(tool), arguments: values };
  });
  const results = calls.map(({ id, tool, result = refusalText }) => ({
    ...{ role: 'tool', content: result, encodedImages: [] },
    ...{ toolName: toOfferedName(tool), toolCallId: id },
  }));
  return [{ ...message, toolCalls: [...(message.toolCalls ?? []), ...toolCalls] }, ...results];
}
