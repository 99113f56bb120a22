// What every dialect reports in headers before the first part of an answer.

import type { FastifyReply } from 'fastify';
import { hearthHeaders } from '../../http/hearth-headers.ts';

export interface StartReport {
  readonly droppedTokens: number;
  readonly droppedMessages?: number;
  readonly unenforced?: readonly string[];
  /** Options of the request that the model does not have. */
  readonly ignoredOptions?: readonly string[];
  readonly remote?: { readonly remote: string; readonly model: string };
}

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0, unenforced = [], ignoredOptions = [] }: StartReport,
): void {
  if (droppedTokens > 0) void reply.header(hearthHeaders.droppedTokens, droppedTokens);
  if (droppedMessages > 0) void reply.header(hearthHeaders.droppedMessages, droppedMessages);
  if (ignoredOptions.length > 0) void reply.header(hearthHeaders.ignoredOptions, ignoredOptions.join(', '));
  if (unenforced.length > 0)
    void reply.header(hearthHeaders.unenforcedKeywords, unenforced.map(toHeaderText).join(', '));
}

// A header holds ASCII only.
function toHeaderText(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
