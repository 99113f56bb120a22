// What generate and chat report about a response besides its text.

import type { FastifyReply } from 'fastify';
import type { AnswerDone } from '../../../services/generation/answer.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

/** How much of a prompt that was too long was left out. Absent if the prompt fitted. */
export const droppedTokensHeader = 'x-hearth-dropped-tokens';
export const droppedMessagesHeader = 'x-hearth-dropped-messages';
/** Keywords of the schema in `format` that the answer may not satisfy, by path. Absent if there are none. */
export const unenforcedKeywordsHeader = 'x-hearth-unenforced-keywords';

export interface StartReport {
  readonly droppedTokens: number;
  readonly droppedMessages?: number;
  readonly unenforced?: readonly string[];
}

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0, unenforced = [] }: StartReport,
): void {
  if (droppedTokens > 0) void reply.header(droppedTokensHeader, droppedTokens);
  if (droppedMessages > 0) void reply.header(droppedMessagesHeader, droppedMessages);
  if (unenforced.length > 0) void reply.header(unenforcedKeywordsHeader, unenforced.map(toHeaderText).join(', '));
}

// A header holds ASCII only.
function toHeaderText(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function toStatistics(done: AnswerDone): AnswerStatistics {
  return {
    done_reason: done.reason,
    total_duration: done.totalNanoseconds,
    load_duration: done.loadNanoseconds,
    prompt_eval_count: done.promptTokens,
    prompt_eval_cached_count: done.cachedTokens,
    prompt_eval_duration: done.promptNanoseconds,
    eval_count: done.generatedTokens,
    eval_duration: done.generateNanoseconds,
  };
}
