// Stored conversations: wire format ⇄ domain.

import { formatTimestamp, parseTimestamp } from '../../base/time/timestamp.ts';
import type {
  ChatSummaryBody,
  ExportedChatBody,
  ImportedChatBody,
  PutChatRequestBody,
  StoredChatBody,
} from './chats-schema.ts';
import type { ChatEntry } from './store/chat-folder.ts';
import type { ImportedChat } from './store/chat-store.ts';
import type { FoundChat } from './store/search-chats.ts';
import type { ChatContent, ChatSummary, StoredChat } from './store/stored-chat.ts';

type FactFields = Pick<ChatSummaryBody, 'created_at' | 'updated_at' | 'revision' | 'pinned' | 'folder'>;

function toFacts({ createdAt, updatedAt, revision, pinned, folder }: ChatSummary): FactFields {
  return { created_at: formatTimestamp(createdAt), updated_at: formatTimestamp(updatedAt), revision, pinned, folder };
}

export function toSummaryBody(
  summary: ChatSummary & Pick<ChatEntry, 'id'> & Pick<FoundChat, 'snippet'>,
): ChatSummaryBody {
  const { id, title, model, messages, link, snippet } = summary;
  return { id, title, model, message_count: messages, ...toFacts(summary), shared_link: link, snippet };
}

/** Without the link: an export may be given to others, who must not get access by it. */
export function toExportedBody({ id, summary, content }: StoredChat): ExportedChatBody {
  return { ...(content as Omit<ExportedChatBody, 'id' | keyof FactFields>), id, ...toFacts(summary) };
}

export function toChatBody(chat: StoredChat): StoredChatBody {
  return { ...toExportedBody(chat), shared_link: chat.summary.link };
}

/** Without the fields that the server sets itself. */
export function toContent(body: PutChatRequestBody | ImportedChatBody): ChatContent {
  const { id, revision, created_at, updated_at, pinned, folder, shared_link, ...content } = body as PutChatRequestBody &
    ImportedChatBody &
    Pick<StoredChatBody, 'shared_link'>;
  return content;
}

export function fromImportedBody(body: ImportedChatBody): ImportedChat {
  const createdAt = readTime(body.created_at);
  const updatedAt = readTime(body.updated_at);
  return {
    id: body.id,
    content: toContent(body),
    createdAt,
    updatedAt,
    arrangement: { pinned: body.pinned, folder: body.folder },
  };
}

/** Undefined if there is no time that can be stored. */
function readTime(text = ''): number | undefined {
  const time = parseTimestamp(text);
  return Number.isSafeInteger(time) && time >= 0 ? time : undefined;
}
