// Calls of tools that the server runs for the model, as a message keeps them.

import type { ChatMcpCall, ChatRequestBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';

export interface KeptCall extends ChatMcpCall {
  /** The number of characters of the message before the call. */
  readonly at: number;
  /** What the user decided; absent: the user was not asked, or has not decided. */
  readonly approved?: boolean;
}

/** A message, as far as its calls go. */
interface MessageCalls {
  readonly mcp_calls?: readonly KeptCall[] | undefined;
}

/** What the user has decided for all calls of a tool. */
export type ToolPermission = 'always' | 'never';

/** By `permissionKey`. */
export type ToolPermissions = Readonly<Record<string, ToolPermission>>;

/** Names of servers have no blanks. */
export function permissionKey({ server, tool }: Pick<KeptCall, 'server' | 'tool'>): string {
  return `${server} ${tool}`;
}

/** A stream has a call before it runs and, with its result, after it. `at` is the length of the text so far. */
export function addCalls(calls: readonly KeptCall[], added: readonly ChatMcpCall[], at: number): KeptCall[] {
  const all = [...calls];
  for (const call of added) {
    const index = all.findIndex(({ id, result }) => id === call.id && result === undefined);
    const known = all[index];
    if (known === undefined) all.push({ ...call, at });
    else all[index] = { ...known, ...call };
  }
  return all;
}

/** Whether the user can still decide. */
export function isUndecided({ needs_approval: waits, approved, result }: KeptCall): boolean {
  return waits === true && approved === undefined && result === undefined;
}

export function hasUndecided({ mcp_calls: calls = [] }: MessageCalls): boolean {
  return calls.some(isUndecided);
}

export function decideCalls<Message extends MessageCalls>(
  message: Message,
  isMeant: (call: KeptCall) => boolean,
  approved: boolean,
): Message {
  const calls = message.mcp_calls?.map((call) => (isUndecided(call) && isMeant(call) ? { ...call, approved } : call));
  return { ...message, mcp_calls: calls };
}

interface AnswerPart<Call> {
  readonly text: string;
  /** The calls after the text. */
  readonly calls: readonly Call[];
}

interface CallingMessage<Call> {
  readonly content: string;
  readonly mcp_calls?: readonly Call[] | undefined;
}

/** The texts of an answer between its calls. The last part has no calls. */
export function splitAtCalls<Call extends Pick<KeptCall, 'at'>>({
  content,
  mcp_calls: calls = [],
}: CallingMessage<Call>): AnswerPart<Call>[] {
  const parts: AnswerPart<Call>[] = [];
  let begin = 0;
  for (const at of new Set(calls.map((call) => call.at))) {
    parts.push({ text: content.slice(begin, at).trimStart(), calls: calls.filter((call) => call.at === at) });
    begin = at;
  }
  return [...parts, { text: calls.length === 0 ? content : content.slice(begin).trimStart(), calls: [] }];
}

/** The servers that are on in this chat. Tools that are never allowed are not offered. */
export function offerServers(
  { mcp = [] }: { readonly mcp?: readonly string[] },
  permissions: ToolPermissions,
): ChatRequestBody['mcp'] {
  if (mcp.length === 0) return undefined;
  return mcp.map((server) => {
    const toolsWith = (wanted: ToolPermission): string[] =>
      Object.entries(permissions).flatMap(([key, permission]) =>
        permission === wanted && key.startsWith(`${server} `) ? [key.slice(server.length + 1)] : [],
      );
    return {
      server,
      denied_tools: toolsWith('never'),
      require_approval: { never: { tool_names: toolsWith('always') } },
    };
  });
}
