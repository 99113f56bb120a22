// What every dialect reports in headers before the first part of an answer, and the prompt instead of an answer.

import type { FastifyReply } from 'fastify';
import type { AnswerStarted } from '../../../inference/model/answer-event.ts';
import type { RenderedPrompt } from '../../../inference/model/model.ts';
import { hearthHeaders, toHeaderText } from '../../http/hearth-headers.ts';
import type { ToolChatEvent } from '../../services/tools/tool-chat.ts';
import type { DebugInfoBody } from './debug-schema.ts';

/** For the first event of an answer. */
export function reportStart(reply: FastifyReply): (first: ToolChatEvent) => void {
  return (first) => {
    if (first.type === 'started') reportDropped(reply, first);
  };
}

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0, unenforced = [] }: AnswerStarted,
): void {
  if (droppedTokens > 0) void reply.header(hearthHeaders.droppedTokens, droppedTokens);
  if (droppedMessages > 0) void reply.header(hearthHeaders.droppedMessages, droppedMessages);
  if (unenforced.length > 0) void reply.header(hearthHeaders.unenforcedKeywords, toHeaderText(unenforced));
}

export function toDebugInfo({ prompt, images }: RenderedPrompt): DebugInfoBody {
  return { rendered_template: prompt, ...(images > 0 ? { image_count: images } : {}) };
}
