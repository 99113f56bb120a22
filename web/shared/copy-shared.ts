// A conversation of the user's own with what another user shares.

import type { SharedChatBody } from '../../src/features/chats/sharing-schema.ts';
import { type ChatDocument, newDocument, newId, type TreeMessage, titleOfCopy } from '../conversation/chat-document.ts';

interface CopyOptions {
  /** In RFC 3339. */
  readonly now: string;
  /** The model, if no message names one. */
  readonly model: string;
}

/** Without the calls of tools: they have neither arguments nor results, and models could not read them. */
export function copyShared({ title, messages }: SharedChatBody, { now, model }: CopyOptions): ChatDocument {
  const copies: TreeMessage[] = [];
  for (const { role, content, images, files, model: answered } of messages) {
    const parent = copies.at(-1)?.id ?? null;
    copies.push({ id: newId(), parent, role, content, images, files, model: answered, created_at: now });
  }
  const asked = copies.findLast((message) => message.model !== undefined)?.model ?? model;
  const document = newDocument({ id: newId(), model: asked, now });
  return { ...document, title: titleOfCopy(title), messages: copies, leaf: copies.at(-1)?.id };
}
