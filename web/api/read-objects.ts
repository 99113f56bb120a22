// A response that is one JSON object per line, as it arrives.

import { ApiError, toApiError } from './api-error.ts';
import { readLines } from './read-lines.ts';

export async function* readObjects<Part>({ body, status }: Response): AsyncGenerator<Part> {
  if (body === null) return;
  for await (const line of readLines(body)) {
    const part: unknown = JSON.parse(line);
    // The status was sent before: an error in the middle of a stream is its last line.
    if (typeof part === 'object' && part !== null && 'error' in part) throw toApiError(part, status);
    yield part as Awaited<Part>;
  }
}

/** The connection ended, and the server did not say that it is done. */
export function incomplete(what: string): ApiError {
  return new ApiError(`The connection ended before ${what} did.`, { status: 0, code: 'incomplete' });
}
