// Long work that tells how far it is: a stream of statuses, or the last of them alone.

import type { FastifyReply } from 'fastify';
import type { Logger } from '../../../../base/logger.ts';
import { sendNdjson } from '../../../http/ndjson.ts';
import type { StatusResponse } from './create-schema.ts';

export async function sendProgress(
  reply: FastifyReply,
  progress: AsyncIterable<StatusResponse>,
  { stream, logger }: { readonly stream: boolean; readonly logger: Logger },
): Promise<StatusResponse | undefined> {
  if (stream) {
    await sendNdjson(reply, progress, logger);
    return undefined;
  }
  let last: StatusResponse | undefined;
  for await (const status of progress) last = status;
  return last;
}
