// POST /api/pull and POST /api/create as streams of objects. The last one has the status "success".

import type { CreateRequestBody } from '../../src/server/dialects/ollama/models/create-schema.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import type { PullRequestBody } from '../../src/server/dialects/ollama/transfer/transfer-schema.ts';
import { incomplete, readJsonLines } from './read-json-lines.ts';
import { request } from './request.ts';

export type StreamPull = (body: PullRequestBody, signal: AbortSignal) => AsyncIterable<ProgressResponseBody>;

export const streamPull: StreamPull = (body, signal) => streamProgress('/api/pull', body, signal);

export function streamCreate(body: CreateRequestBody, signal: AbortSignal): AsyncIterable<ProgressResponseBody> {
  return streamProgress('/api/create', body, signal);
}

async function* streamProgress(path: string, body: object, signal: AbortSignal): AsyncGenerator<ProgressResponseBody> {
  let last = '';
  for await (const part of readJsonLines<ProgressResponseBody>(await request(path, { method: 'POST', body, signal }))) {
    last = part.status;
    yield part;
  }
  if (last !== 'success') throw incomplete('the work');
}
