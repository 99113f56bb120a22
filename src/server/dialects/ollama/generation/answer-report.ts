// What generate and chat report about a response besides its text.

import type { FastifyReply } from 'fastify';
import { hearthHeaders } from '../../../http/hearth-headers.ts';
import type { AnswerDone } from '../../../services/generation/answer.ts';
import type { AnswerStatistics } from './statistics-schema.ts';

export interface StartReport {
  readonly droppedTokens: number;
  readonly droppedMessages?: number;
  readonly unenforced?: readonly string[];
  readonly remote?: { readonly remote: string; readonly model: string };
}

export interface RemoteFields {
  readonly remote_model?: string;
  readonly remote_host?: string;
}

/** Empty for a model on this machine. */
export function toRemoteFields({ remote }: StartReport): RemoteFields {
  return remote === undefined ? {} : { remote_model: remote.model, remote_host: remote.remote };
}

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0, unenforced = [] }: StartReport,
): void {
  if (droppedTokens > 0) void reply.header(hearthHeaders.droppedTokens, droppedTokens);
  if (droppedMessages > 0) void reply.header(hearthHeaders.droppedMessages, droppedMessages);
  if (unenforced.length > 0)
    void reply.header(hearthHeaders.unenforcedKeywords, unenforced.map(toHeaderText).join(', '));
}

// A header holds ASCII only.
function toHeaderText(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function toStatistics(
  done: AnswerDone,
  { droppedTokens, droppedMessages = 0 }: Pick<StartReport, 'droppedTokens' | 'droppedMessages'>,
): AnswerStatistics {
  return {
    done_reason: done.reason,
    total_duration: done.totalNanoseconds,
    load_duration: done.loadNanoseconds,
    prompt_eval_count: done.promptTokens,
    prompt_eval_cached_count: done.cachedTokens,
    prompt_eval_duration: done.promptNanoseconds,
    eval_count: done.generatedTokens,
    eval_duration: done.generateNanoseconds,
    ...(droppedMessages > 0 ? { dropped_messages: droppedMessages } : {}),
    ...(droppedTokens > 0 ? { dropped_tokens: droppedTokens } : {}),
  };
}
