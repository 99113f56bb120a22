// Sends an answer that can be resumed. The headers are sent at once: a client must know the id of its request before it
// loses the connection, and a model may load for minutes. An error is therefore always a part of the stream.

import type { FastifyReply } from 'fastify';
import { type SendStreamOptions, sendStream } from '../streaming/send-stream.ts';
import type { FollowAnswer } from './elsewhere.ts';

export async function sendFollowed(
  reply: FastifyReply,
  follow: FollowAnswer,
  { from = 0, ...options }: SendStreamOptions & { readonly from?: number },
): Promise<void> {
  const closed = new AbortController();
  if (reply.raw.destroyed) closed.abort();
  reply.raw.once('close', () => closed.abort());
  return sendStream(reply, follow(from, closed.signal), { ...options, headersFirst: true });
}
