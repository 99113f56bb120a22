// Where conversations are kept.

import type { ChatDocument, ListedChat } from '../conversation/chat-document.ts';

export interface ChatStorage {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first; with a query, those that contain it. */
  list(query?: string): Promise<readonly ListedChat[]>;
  /** undefined: there is no such conversation. */
  read(id: string): Promise<ChatDocument | undefined>;
  /** Returns the new revision. Throws an ApiError with status 409 if the stored revision is another. */
  write(document: ChatDocument): Promise<number>;
  remove(id: string): Promise<void>;
}
