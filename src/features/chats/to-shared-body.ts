// What readers of a shared conversation get: the branch that its author sees, without the author's settings. Clients store other
// fields as they like, so that each field is checked and nothing else is passed on.

import { isCount } from '../../base/json-values.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import type { SharedChatBody, SharedMessageBody } from './sharing-schema.ts';
import type { StoredChat, StoredMessage } from './store/stored-chat.ts';

interface SharedChat {
  readonly chat: StoredChat;
  readonly author?: string | undefined;
}

export function toSharedBody({ chat: { summary, content }, author }: SharedChat): SharedChatBody {
  const { messages = [], leaf } = content as typeof content & { readonly leaf?: unknown };
  const path = branchTo(messages, typeof leaf === 'string' ? leaf : undefined);
  return {
    title: summary.title,
    author,
    updated_at: formatTimestamp(summary.updatedAt),
    messages: path.flatMap(toSharedMessage),
  };
}

/** The messages from a first one to `leaf`, or to the last one. A message comes after its parent. */
function branchTo(messages: readonly StoredMessage[], leaf: string | undefined): StoredMessage[] {
  const path: StoredMessage[] = [];
  let wanted: string | null | undefined = messages.some(({ id }) => id === leaf) ? leaf : messages.at(-1)?.id;
  for (const message of messages.toReversed()) {
    if (message.id !== wanted) continue;
    path.push(message);
    wanted = message.parent;
  }
  return path.reverse();
}

type Unknown<Body> = { readonly [Name in keyof Body]?: unknown };

function toSharedMessage(message: Unknown<SharedMessageBody>): SharedMessageBody[] {
  const { role, content, images, files, model, mcp_calls: calls } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  return [
    {
      role,
      content: isText(content) ? content : '',
      images: Array.isArray(images) ? images.filter(isText) : undefined,
      files: Array.isArray(files) ? files.flatMap(toFile) : undefined,
      model: isText(model) ? model : undefined,
      mcp_calls: Array.isArray(calls) ? calls.flatMap(toCall) : undefined,
    },
  ];
}

function toFile(value: unknown): NonNullable<SharedMessageBody['files']> {
  const { name, text, pages } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!isText(name) || !isText(text)) return [];
  return [{ name, text, pages: Number.isSafeInteger(pages) ? (pages as number) : undefined }];
}

/** Arguments and results can have what the author alone may read. */
function toCall(value: unknown): NonNullable<SharedMessageBody['mcp_calls']> {
  const { at, server, tool, is_error: isError } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!isCount(at) || !isText(server) || !isText(tool)) return [];
  return [{ at, server, tool, is_error: isError === true ? true : undefined }];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
