// What generate and chat report about a response besides its text.

import type { FastifyReply } from 'fastify';
import type { AnswerDone } from '../../../services/generation/answer.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

/** How much of a prompt that was too long was left out. Absent if the prompt fitted. */
export const droppedTokensHeader = 'x-hearth-dropped-tokens';
export const droppedMessagesHeader = 'x-hearth-dropped-messages';

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0 }: { readonly droppedTokens: number; readonly droppedMessages?: number },
): void {
  if (droppedTokens > 0) void reply.header(droppedTokensHeader, droppedTokens);
  if (droppedMessages > 0) void reply.header(droppedMessagesHeader, droppedMessages);
}

export function toStatistics(done: AnswerDone): AnswerStatistics {
  return {
    done_reason: done.reason,
    total_duration: done.totalNanoseconds,
    load_duration: done.loadNanoseconds,
    prompt_eval_count: done.promptTokens,
    prompt_eval_duration: done.promptNanoseconds,
    eval_count: done.generatedTokens,
    eval_duration: done.generateNanoseconds,
  };
}
