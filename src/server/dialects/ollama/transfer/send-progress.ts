// Sends the progress of long work: as a stream, or only the last status.

import type { FastifyReply } from 'fastify';
import type { Logger } from '../../../../base/logger.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import type { ProgressResponseBody } from './progress-schema.ts';

export async function sendProgress(
  reply: FastifyReply,
  progress: AsyncIterable<ProgressResponseBody>,
  { stream, logger }: { readonly stream: boolean; readonly logger: Logger },
): Promise<ProgressResponseBody | undefined> {
  if (stream) {
    await sendStream(reply, progress, { dialect: ollamaDialect, logger });
    return undefined;
  }
  let last: ProgressResponseBody | undefined;
  for await (const status of progress) last = status;
  return last;
}
