// POST /api/create as a stream of objects. The last one has the status "success".

import type { CreateRequestBody } from '../../src/server/dialects/ollama/models/create-schema.ts';
import type { ProgressResponseBody } from '../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { t } from '../language/language.ts';
import { incomplete, readJsonLines } from './read-json-lines.ts';
import { request } from './request.ts';

export async function* streamCreate(
  body: CreateRequestBody,
  signal: AbortSignal,
): AsyncGenerator<ProgressResponseBody> {
  let last = '';
  const response = await request('/api/create', { method: 'POST', body, signal });
  for await (const part of readJsonLines<ProgressResponseBody>(response)) {
    last = part.status;
    yield part;
  }
  if (last !== 'success') throw incomplete(t('The connection ended before the work did.'));
}
