// A conversation as the server keeps it: a tree of messages, since an edited or regenerated message does not replace the
// one before. `leaf` is the end of the branch that is shown.

import type {
  ChatPassage,
  ChatResponseBody,
  ChatResponseToolCall,
} from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { t } from '../language/language.ts';
import type { KeptCall } from './tool-calls.ts';

/** A file that the user attached, as text. */
export interface AttachedFile {
  readonly name: string;
  readonly text: string;
  /** The number of pages of a PDF. */
  readonly pages?: number | undefined;
}

/** Durations are nanoseconds, as in the API; `first_token` is milliseconds, measured by the page. */
export type AnswerStats = Readonly<Pick<ChatResponseBody, StatField>> & {
  readonly first_token?: number;
  readonly done_reason?: string;
};

type StatField = Exclude<(typeof statFields)[number], 'done_reason'>;
export const statFields = [
  'done_reason',
  'load_duration',
  'total_duration',
  'prompt_eval_count',
  'prompt_eval_cached_count',
  'eval_count',
  'eval_duration',
  'dropped_messages',
  'dropped_tokens',
] as const satisfies readonly (keyof ChatResponseBody)[];

/** Where the rest of an answer is. */
export interface AnswerRequest {
  readonly id: string;
  /** The number of objects that the message has. */
  readonly received: number;
}

export interface TreeMessage {
  readonly id: string;
  /** The message that this one answers; null for the first. */
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly thinking?: string;
  /** Each image in base64. */
  readonly images?: readonly string[];
  readonly files?: readonly AttachedFile[];
  readonly tool_calls?: readonly ChatResponseToolCall[];
  /** Calls of tools that the server runs. */
  readonly mcp_calls?: readonly KeptCall[];
  /** What was found in the collections; the answer cites some by their numbers. */
  readonly passages?: readonly ChatPassage[];
  /** The model that answered. */
  readonly model?: string;
  readonly stats?: AnswerStats;
  /** Whether the user wrote the answer, or changed it. */
  readonly edited?: boolean;
  /** Why the answer is missing or incomplete. */
  readonly error?: string;
  /** The request whose answer this message becomes; absent: the message is complete. */
  readonly request?: AnswerRequest;
  readonly created_at: string;
}

export interface ChatDocument {
  readonly id: string;
  readonly title: string;
  readonly model: string;
  readonly system: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** A JSON schema or "json"; null: the answer has no format. */
  readonly format: unknown;
  /** Whether a model that can think does so; absent: the model decides. */
  readonly think?: boolean;
  /** The names of the servers whose tools the model may use. */
  readonly mcp?: readonly string[];
  /** Ids of collections that are searched for each question. */
  readonly collections?: readonly string[];
  readonly messages: readonly TreeMessage[];
  /** Ids of messages that were deleted: another page may still have them. */
  readonly deleted?: readonly string[];
  readonly leaf?: string;
  /** Set by the server. */
  readonly pinned?: boolean;
  readonly folder?: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Increased by the server with each change; 0: the server does not have the document yet. */
  readonly revision: number;
}

/** How users file a conversation. */
export interface ChatPlace {
  readonly title?: string;
  readonly pinned?: boolean;
  /** Empty: none. */
  readonly folder?: string;
}

export type ListedChat = Pick<
  ChatDocument,
  'id' | 'title' | 'model' | 'updated_at' | 'revision' | 'pinned' | 'folder'
> & {
  readonly message_count: number;
  /** The link by which others can read it; absent: it is not shared. */
  readonly shared_link?: string | undefined;
  /** In the result of a search: the text around the place in a message. */
  readonly snippet?: string;
};

export function toSummary(document: ChatDocument): ListedChat {
  const { id, title, model, updated_at, messages, revision, pinned, folder } = document;
  return { id, title, model, updated_at, message_count: messages.length, revision, pinned, folder };
}

export function newDocument({ id, model, now }: Record<'id' | 'model' | 'now', string>): ChatDocument {
  return {
    id,
    title: '',
    model,
    system: '',
    options: {},
    format: null,
    messages: [],
    created_at: now,
    updated_at: now,
    revision: 0,
  };
}

const idBytes = 12;

/** Ids of conversations and messages. `crypto.randomUUID` exists only on pages with TLS or on the same machine. */
export function newId(): string {
  const random = crypto.getRandomValues(new Uint8Array(idBytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const maxTitleCharacters = 60;

/** The beginning of the first message. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? '';
  if (line.length <= maxTitleCharacters) return line;
  const cut = line.slice(0, maxTitleCharacters);
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > maxTitleCharacters / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

/** The server accepts titles that are a little longer. */
const maxCopiedTitle = 180;

export function titleOfCopy(title: string): string {
  return t('{title} (copy)', { title: title.slice(0, maxCopiedTitle) });
}
