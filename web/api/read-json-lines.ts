// A response that is one JSON object per line, as it arrives.

import { t } from '../language/language.ts';
import { ApiError, toApiError } from './request.ts';

/** The longest line is the last one of an answer. */
const maxLineCharacters = 16 * 2 ** 20;

export async function* readJsonLines<Part>({ body, status }: Response): AsyncGenerator<Part> {
  if (body === null) return;
  for await (const line of readLines(body)) {
    const part: unknown = JSON.parse(line);
    // The status was sent before: an error in the middle of a stream is its last line.
    if (typeof part === 'object' && part !== null && 'error' in part) throw toApiError(part, status);
    yield part as Awaited<Part>;
  }
}

/** A line or a character may span several chunks. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      pending += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = pending.split('\n');
      pending = done ? '' : (lines.pop() ?? '');
      yield* lines.filter((line) => line.trim() !== '');
      if (done) return;
      if (pending.length > maxLineCharacters)
        throw new Error(t('The server sent a line of more than {count} characters.', { count: maxLineCharacters }));
    }
  } finally {
    // The reader of a stream that ended has nothing to cancel. One that is left early must stop the server.
    await reader.cancel().catch(() => {});
  }
}

/** The connection ended, and the server did not say that it is done. */
export function incomplete(text: string): ApiError {
  return new ApiError(text, { status: 0, code: 'incomplete' });
}
