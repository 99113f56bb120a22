// A conversation as it is stored: what the client sent, and what the server knows about it.

import { HearthError } from '../../../base/errors.ts';

export interface StoredMessage {
  readonly id: string;
  /** The message that this one follows; absent or null: it is a first one. */
  readonly parent?: string | null;
  readonly content?: string;
}

/** What the client chooses. Fields that are not listed here are kept as they are. */
export interface ChatContent {
  readonly title?: string;
  readonly model?: string;
  readonly messages?: readonly StoredMessage[];
}

/** What a list shows. */
export interface ChatSummary {
  readonly title: string;
  /** Empty if the client named none. */
  readonly model: string;
  /** Their number. */
  readonly messages: number;
  /** The time in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 1 for a new conversation, and one more with each change. */
  readonly revision: number;
  /** True if it comes first in lists; absent otherwise. */
  readonly pinned?: true;
  /** The name of the folder that it is in; absent if it is in none. */
  readonly folder?: string;
  /** The link by which others can read it; absent if it is not shared. */
  readonly link?: string;
}

/** How a user files a conversation. An absent field does not change. */
export interface ChatArrangement {
  readonly title?: string;
  readonly pinned?: boolean;
  /** Empty: none. */
  readonly folder?: string;
}

/** Where a conversation is in lists after a change. */
export function placeAfter(
  old: Pick<ChatSummary, 'pinned' | 'folder'>,
  { pinned = old.pinned === true, folder = old.folder ?? '' }: ChatArrangement,
): Pick<ChatSummary, 'pinned' | 'folder'> {
  const name = folder.trim();
  return { pinned: pinned ? true : undefined, folder: name === '' ? undefined : name };
}

export interface StoredChat {
  readonly id: string;
  readonly summary: ChatSummary;
  readonly content: ChatContent;
}

// Clients choose the ids. An id is the name of a file: some file systems ignore case, and Windows reserves short names.
export const chatIdPattern = /^[a-z0-9][a-z0-9_-]{7,63}$/;
const idRule = '8 to 64 lowercase letters, digits, hyphens or underscores, beginning with a letter or digit';

// Objects and lists inside each other. JSON.stringify is recursive.
const maxNesting = 64;

export function isChatId(text: string): boolean {
  return chatIdPattern.test(text);
}

/** Throws `bad_request`. */
export function checkChatId(text: string): string {
  if (!isChatId(text)) throw new HearthError('bad_request', `the id of a conversation must have ${idRule}`);
  return text;
}

/** Throws `bad_request` if the messages are not a tree, or if values are nested too deeply. */
export function checkContent(content: ChatContent): void {
  checkTree(content.messages ?? []);
  checkNesting(content);
}

/** A message comes after its parent, so that a cycle is not possible. */
function checkTree(messages: readonly StoredMessage[]): void {
  const known = new Set<string>();
  for (const [index, { id, parent }] of messages.entries()) {
    if (known.has(id)) throw new HearthError('bad_request', `messages[${index}].id: another message has this id`);
    if (parent !== undefined && parent !== null && !known.has(parent))
      throw new HearthError('bad_request', `messages[${index}].parent: no message before this one has this id`);
    known.add(id);
  }
}

/** Level by level, because recursion could exceed the stack. */
export function checkNesting(content: object): void {
  let level: object[] = [content];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxNesting)
      throw new HearthError('bad_request', `there may be at most ${maxNesting} objects and lists in each other`);
    level = level.flatMap((parent) => Object.values(parent).filter(isObject));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
