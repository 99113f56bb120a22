// Writes a conversation that may have been changed elsewhere, such as on another device: the messages of both copies are
// kept.

import { ApiError } from '../api/request.ts';
import type { ChatDocument } from '../conversation/chat-document.ts';
import { mergeDocuments } from '../conversation/message-tree.ts';
import type { ChatStorage } from './chat-storage.ts';

/** Others may write between our reading and our writing. */
const maxAttempts = 5;

/** Returns the document as it is stored. */
export async function saveDocument(storage: ChatStorage, document: ChatDocument): Promise<ChatDocument> {
  let next = document;
  for (let attempt = 1; ; attempt++) {
    try {
      return { ...next, revision: await storage.write(next) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || attempt === maxAttempts) throw error;
      next = withStored(document, await storage.read(document.id));
    }
  }
}

function withStored(document: ChatDocument, stored: ChatDocument | undefined): ChatDocument {
  // A conversation that was deleted elsewhere is stored again.
  if (stored === undefined) return { ...document, revision: 0 };
  return { ...document, ...mergeDocuments(stored, document), revision: stored.revision };
}
