// What every dialect reports in headers before the first part of an answer.

import type { FastifyReply } from 'fastify';
import type { AnswerEvent, AnswerStarted } from '../../../inference/model/answer-event.ts';
import { hearthHeaders } from '../../http/hearth-headers.ts';

/** For the first event of an answer. */
export function reportStart(reply: FastifyReply): (first: AnswerEvent) => void {
  return (first) => {
    if (first.type === 'started') reportDropped(reply, first);
  };
}

export function reportDropped(
  reply: FastifyReply,
  { droppedTokens, droppedMessages = 0, unenforced = [], ignoredOptions = [] }: AnswerStarted,
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
