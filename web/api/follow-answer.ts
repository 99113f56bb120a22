// The objects of an answer, over as many connections as it takes.

import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { ApiError } from './api-error.ts';
import { incomplete, readObjects } from './read-objects.ts';

export interface FollowOptions {
  /** The connection that the answer was requested with; absent: there is none any more. */
  readonly first?: Response;
  /** Requests the objects from this number on. */
  readonly connect: (from: number) => Promise<Response>;
  /** The number of objects that are known. */
  readonly from: number;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
}

// Half a minute in all, as for a server that restarts behind a proxy or a laptop that wakes up.
const maxFailures = 6;
const firstPause = 500;

export async function* followAnswer(options: FollowOptions): AsyncGenerator<ChatResponseBody> {
  const { first, connect, from, pause, signal } = options;
  let response = first;
  let received = from;
  for (let failures = 0; ; failures++) {
    try {
      for await (const part of readObjects<ChatResponseBody>(response ?? (await connect(received)))) {
        received++;
        failures = 0;
        yield part;
        if (part.done) return;
      }
      throw incomplete('the answer');
    } catch (error) {
      if (signal.aborted || !isConnectionLost(error) || failures === maxFailures) throw error;
    }
    response = undefined;
    await pause(firstPause * 2 ** failures);
  }
}

/** Any error but one that the server reported. */
function isConnectionLost(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0;
}
