// A stored conversation as the page uses it. Other programs can store conversations, too, and leave out what is optional.

import { type ChatDocument, type ChatMessage, newDocument } from '../conversation/chat-document.ts';

/** On the wire. */
export type StoredChat = Pick<ChatDocument, 'id' | 'created_at' | 'updated_at' | 'revision'> &
  Partial<Omit<ChatDocument, 'messages'>> & { readonly messages?: readonly StoredMessage[] };

export type StoredMessage = Pick<ChatMessage, 'id' | 'role'> & Partial<ChatMessage>;

export function fromStored(stored: StoredChat): ChatDocument {
  const { id, created_at: now, leaf, messages: given = [] } = stored;
  const messages = given.map((message) => ({ parent: null, content: '', created_at: now, ...message }));
  const last = leaf ?? messages.at(-1)?.id;
  return { ...newDocument({ id, model: '', now }), ...stored, messages, ...(last === undefined ? {} : { leaf: last }) };
}
