// The request that asks for the next message of a conversation.

import type { ChatRequestBody, ChatRequestMessage } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { AttachedFile, ChatDocument, TreeMessage } from './chat-document.ts';
import { offerServers, splitAtCalls, type ToolPermissions } from './tool-calls.ts';

/** `path` ends with the message to answer, or with an answer to continue. */
export function toConversationRequest(
  document: ChatDocument,
  path: readonly TreeMessage[],
  permissions: ToolPermissions = {},
): ChatRequestBody {
  const { model, system, options, format, think, collections = [] } = document;
  const instructions: ChatRequestMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return {
    model,
    messages: [...instructions, ...path.filter(hasContent).flatMap(toRequestMessages)],
    options: Object.keys(options).length === 0 ? undefined : options,
    format: format ?? undefined,
    think,
    mcp: offerServers(document, permissions),
    collections: collections.length === 0 ? undefined : [...collections],
    stream: true,
  };
}

/** An answer that failed at once says nothing. */
function hasContent({ role, content, tool_calls: calls = [], mcp_calls: own = [] }: TreeMessage): boolean {
  return role === 'user' || content !== '' || calls.length > 0 || own.length > 0;
}

/** Each round of an answer with calls is a message of its own, as the model wrote it. */
function toRequestMessages(message: TreeMessage): ChatRequestMessage[] {
  if (message.mcp_calls === undefined) return [toRequestMessage(message)];
  const parts = splitAtCalls(message).filter(({ text, calls }) => text !== '' || calls.length > 0);
  return parts.map(({ text, calls }) => {
    const isLast = calls.length === 0;
    return {
      ...toRequestMessage({ ...message, content: text, tool_calls: isLast ? message.tool_calls : undefined }),
      mcp_calls: isLast ? undefined : calls.map(({ at, ...call }) => call),
    };
  });
}

function toRequestMessage({ role, content, images, files = [], tool_calls: calls }: TreeMessage): ChatRequestMessage {
  return {
    role,
    content: [...files.map(quoteFile), content].filter((text) => text !== '').join('\n\n'),
    images,
    tool_calls: calls,
  };
}

/** A fence that the text of the file does not contain. */
export function quoteFile({ name, text }: AttachedFile): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `File ${name}:\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
