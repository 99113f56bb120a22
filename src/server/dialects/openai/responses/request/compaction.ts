// The item that stands for an earlier part of a conversation. Its content is a plain text. Nothing is kept about it, so it
// cannot be trusted more than any other text of the client.

import type { ConversationMessage } from '../../../../../inference/model/conversation.ts';

// Tells the items of this server from those of others, which only others can read.
const mark = 'hearth-summary-1:';

const question = `Summarize this conversation for someone who has to continue it and cannot read it. Include the goal of the user, \
what was decided and done, the names, numbers, paths and code that are still needed, and what remains to be done. \
Answer with the summary only. Do not call tools.`;

export function toSummaryContent(summary: string): string {
  return `${mark}${summary}`;
}

/** Undefined: the item is from another server. The message has the role of a user: instructions have more weight. */
export function readSummary(content: unknown): ConversationMessage | undefined {
  if (typeof content !== 'string' || !content.startsWith(mark)) return undefined;
  const text = `Summary of the conversation so far:\n\n${content.slice(mark.length)}`;
  return { role: 'user', content: text, encodedImages: [] };
}

/** The conversation with a question at its end. Many templates refuse two messages of the user in a row. */
export function summaryRequest(messages: readonly ConversationMessage[]): ConversationMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: question, encodedImages: [] }];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${question}` }];
}
