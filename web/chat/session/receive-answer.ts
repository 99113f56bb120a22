// Receives an answer into a signal that changes once per frame.

import type { Signal } from '@preact/signals';
import type { ChatResponseBody } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type Answer, addPart } from '../../conversation/answer.ts';

export interface ReceiveOptions {
  readonly parts: AsyncIterable<ChatResponseBody>;
  readonly answer: Signal<Answer>;
  /** Calls back before the next frame is painted. */
  readonly nextFrame: (callback: () => void) => void;
  /** Milliseconds since the request; undefined if that is not known. */
  readonly elapsed: () => number | undefined;
}

export async function receiveAnswer({ parts, answer, nextFrame, elapsed }: ReceiveOptions): Promise<void> {
  let latest = answer.peek();
  let isScheduled = false;
  try {
    for await (const part of parts) {
      latest = addPart(latest, part, elapsed());
      if (isScheduled) continue;
      isScheduled = true;
      nextFrame(() => {
        isScheduled = false;
        answer.value = latest;
      });
    }
  } finally {
    // The next frame may never come.
    answer.value = latest;
  }
}
