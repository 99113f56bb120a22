// The answer of a conversation that is arriving. There is one at a time.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { ChatRequestBody, ChatResponseBody } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { AnswerApi } from '../../api/answer-api.ts';
import { type Answer, beginAnswer, toMessage } from '../../conversation/answer.ts';
import type { AnswerRequest, ChatMessage } from '../../conversation/chat-document.ts';
import { describeEnd } from './describe-end.ts';
import { receiveAnswer } from './receive-answer.ts';

export interface RunningAnswer {
  /** Of the message that the answer becomes. */
  readonly id: string;
  readonly answer: ReadonlySignal<Answer>;
}

export interface AnswerRunner {
  readonly running: ReadonlySignal<RunningAnswer | undefined>;
  /** `message` has the text before the answer, which is empty unless it is continued. */
  begin(message: ChatMessage, body: ChatRequestBody): void;
  /** Picks up an answer. `message` has its request. */
  resume(message: ChatMessage): void;
  stop(): void;
}

export interface AnswerRunnerOptions {
  readonly answers: AnswerApi;
  /** Calls back before the next frame is painted. */
  readonly nextFrame: (callback: () => void) => void;
  /** Milliseconds. */
  readonly monotonic: () => number;
  /** Called when the request is known, and at the end. A message without a request is complete. */
  readonly onChange: (message: ChatMessage) => void;
}

interface Source {
  readonly parts: AsyncIterable<ChatResponseBody>;
  readonly elapsed: () => number | undefined;
}

export function createAnswerRunner({ answers, nextFrame, monotonic, onChange }: AnswerRunnerOptions): AnswerRunner {
  const running = signal<RunningAnswer | undefined>(undefined);
  let abort = new AbortController();
  let request: AnswerRequest | undefined;

  const cancel = (): void => {
    if (request !== undefined) answers.cancel(request.id).catch(() => {});
  };

  const receive = async (message: ChatMessage, { parts, elapsed }: Source): Promise<void> => {
    const answer = signal(beginAnswer(message));
    running.value = { id: message.id, answer };
    let end: Partial<ChatMessage> = {};
    try {
      await receiveAnswer({ parts, answer, nextFrame, elapsed });
    } catch (error) {
      end = describeEnd(error, { answer: answer.peek(), request, isStopped: abort.signal.aborted });
    }
    const { request: begunWith, error, ...begun } = message;
    running.value = undefined;
    onChange({ ...toMessage(begun, answer.peek()), ...end });
  };

  return {
    running,
    begin(message, body) {
      const startedAt = monotonic();
      abort = new AbortController();
      request = undefined;
      const { signal: stopped } = abort;
      const onStarted = (id: string): void => {
        request = { id, received: 0 };
        if (stopped.aborted) cancel();
        else onChange({ ...message, request });
      };
      const parts = answers.start(body, { signal: stopped, onStarted });
      void receive(message, { parts, elapsed: () => monotonic() - startedAt });
    },
    resume(message) {
      ({ request } = message);
      if (request === undefined) return;
      abort = new AbortController();
      // The time of the first token passed before.
      void receive(message, { parts: answers.resume(request, abort.signal), elapsed: () => undefined });
    },
    stop() {
      if (running.peek() === undefined) return;
      abort.abort();
      cancel();
    },
  };
}
