// Where conversations are kept.

import type { ChatDocument, ChatPlace, ListedChat } from '../conversation/chat-document.ts';

export interface ChatStorage {
  /** Whether conversations survive the page. */
  readonly isDurable: boolean;
  /** The newest first; with a query, those that contain it. */
  list(query?: string): Promise<readonly ListedChat[]>;
  /** undefined: there is no such conversation. */
  read(id: string): Promise<ChatDocument | undefined>;
  /** Returns the new revision. Throws an ApiError with status 409 if the stored revision is another. */
  write(document: ChatDocument): Promise<number>;
  /** Returns the new revision. What is absent in `place` does not change. */
  arrange(id: string, place: ChatPlace): Promise<number>;
  /** The result puts the conversation back, unless there is one with its id. */
  remove(id: string): Promise<() => Promise<void>>;
}
