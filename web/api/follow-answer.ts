// The objects of an answer, over as many connections as needed.

import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { t } from '../language/language.ts';
import { incomplete, readJsonLines } from './read-json-lines.ts';
import { ApiError } from './request.ts';

export interface FollowOptions {
  /** The connection that the answer was requested with; absent if that connection is gone. */
  readonly first?: Response;
  /** Requests the objects from this number on. */
  readonly connect: (from: number) => Promise<Response>;
  /** The number of objects that are known. */
  readonly from: number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Called with true when the connection is lost, and with false when an object has arrived. */
  readonly onLost: (isLost: boolean) => void;
  readonly signal: AbortSignal;
}

// Half a minute in all: a server may restart behind a proxy, a laptop may wake up.
const maxFailures = 6;
const firstPauseMs = 500;

export async function* followAnswer(options: FollowOptions): AsyncGenerator<ChatResponseBody> {
  const { first, connect, from, pause, onLost, signal } = options;
  let response = first;
  let received = from;
  for (let failures = 0; ; failures++) {
    try {
      for await (const part of readJsonLines<ChatResponseBody>(response ?? (await connect(received)))) {
        received++;
        onLost(false);
        failures = 0;
        yield part;
        if (part.done) return;
      }
      throw incomplete(t('The connection ended before the answer did.'));
    } catch (error) {
      if (signal.aborted || !isConnectionLost(error) || failures === maxFailures) throw error;
    }
    response = undefined;
    onLost(true);
    await pause(firstPauseMs * 2 ** failures);
  }
}

/** Any error but one that the server reported. */
function isConnectionLost(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0;
}
