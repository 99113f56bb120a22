// Streams as server-sent events, the way of the OpenAI dialect: an object each, then a word that says it was the last.

import type { FastifyReply } from 'fastify';
import type { Logger } from '../../../base/logger.ts';
import { type Framing, sendFramed } from '../../http/ndjson.ts';
import { toOpenAiErrorOf } from './error-response.ts';

const event = (object: object): string => `data: ${JSON.stringify(object)}\n\n`;

const serverSentEvents: Framing = {
  headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  frame: event,
  frameError: (error) => event(toOpenAiErrorOf(error)),
  end: 'data: [DONE]\n\n',
};

export function sendEvents(reply: FastifyReply, objects: AsyncIterable<object>, logger: Logger): Promise<void> {
  return sendFramed(reply, objects, serverSentEvents, logger);
}
