// POST /api/pull and POST /api/create as streams of objects. The last one has the status "success".

import type { CreateRequestBody } from '../../src/server/dialects/ollama/models/create-schema.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import type { PullRequestBody } from '../../src/server/dialects/ollama/transfer/transfer-schema.ts';
import { ApiError, toApiError } from './api-error.ts';
import { readLines } from './read-lines.ts';
import { request } from './request.ts';

export type StreamPull = (body: PullRequestBody, signal: AbortSignal) => AsyncIterable<ProgressResponseBody>;

export const streamPull: StreamPull = (body, signal) => streamProgress('/api/pull', body, signal);

export function streamCreate(body: CreateRequestBody, signal: AbortSignal): AsyncIterable<ProgressResponseBody> {
  return streamProgress('/api/create', body, signal);
}

async function* streamProgress(path: string, body: object, signal: AbortSignal): AsyncGenerator<ProgressResponseBody> {
  const response = await request(path, { method: 'POST', body, signal });
  let last = '';
  for await (const line of readLines(response.body as ReadableStream<Uint8Array>)) {
    const part = JSON.parse(line) as ProgressResponseBody & { readonly error?: string };
    // The status was sent before: an error in the middle of the work is its last line.
    if (part.error !== undefined) throw toApiError(part, response.status);
    last = part.status;
    yield part;
  }
  if (last !== 'success')
    throw new ApiError('The connection ended before the work did.', { status: 0, code: 'incomplete' });
}
