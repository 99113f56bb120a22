// The request that asks for the next message of a conversation.

import type { ChatRequestBody, ChatRequestMessage } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { AttachedFile, ChatDocument, TreeMessage } from './chat-document.ts';

/** `path` ends with the message to answer, or with an answer to continue. */
export function toConversationRequest(
  { model, system, options, format, think }: ChatDocument,
  path: readonly TreeMessage[],
): ChatRequestBody {
  const instructions: ChatRequestMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return {
    model,
    messages: [...instructions, ...path.filter(hasContent).map(toRequestMessage)],
    options: Object.keys(options).length === 0 ? undefined : options,
    format: format ?? undefined,
    think,
    stream: true,
  };
}

/** An answer that failed at once says nothing. */
function hasContent({ role, content, tool_calls: calls = [] }: TreeMessage): boolean {
  return role === 'user' || content !== '' || calls.length > 0;
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
