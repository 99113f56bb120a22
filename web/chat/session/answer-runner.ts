// The answer of a conversation that is arriving. There is one at a time.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ChatRequestBody, ChatResponseBody } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type AnswerApi, isForgotten, type ReceiveOptions } from '../../api/answer-api.ts';
import { ApiError, errorText } from '../../api/request.ts';
import { type Answer, addPart, beginAnswer, noAnswer, toMessage } from '../../conversation/answer.ts';
import type { AnswerRequest, TreeMessage } from '../../conversation/chat-document.ts';
import { isRepeating } from '../../conversation/runaway.ts';
import { t } from '../../language/language.ts';

/** The server has been restarted, or has removed what nobody has fetched. */
export const forgottenText = t('The server does not have the rest of this answer.');

export interface AnswerRunnerOptions {
  readonly answers: AnswerApi;
  /** Calls back before the next frame is painted. */
  readonly nextFrame: (callback: () => void) => void;
  readonly monotonicMs: () => number;
  /** About how many tokens an answer may have; 0: any number. */
  readonly maxTokens: () => number;
  /** Called when the request is known, and at the end. A message without a request is complete. */
  readonly onChange: (message: TreeMessage) => void;
}

interface RunningAnswer {
  /** The id of the message that the answer becomes. */
  readonly id: string;
  readonly answer: ReadonlySignal<Answer>;
  /** Whether the connection is lost, and another one is being tried. */
  readonly isLost: ReadonlySignal<boolean>;
}

interface Source {
  readonly parts: AsyncIterable<ChatResponseBody>;
  /** Time since the request; undefined if that is not known. */
  readonly elapsedMs: () => number | undefined;
}

export class AnswerRunner {
  readonly running: ReadonlySignal<RunningAnswer | undefined>;
  readonly #running = signal<RunningAnswer | undefined>(undefined);
  readonly #options: AnswerRunnerOptions;
  readonly #isLost = signal(false);
  #abort = new AbortController();
  #request: AnswerRequest | undefined;
  #latest: Answer = noAnswer;
  /** Ends the pause before the next attempt. */
  #endPause = (): void => {};

  constructor(options: AnswerRunnerOptions) {
    this.#options = options;
    this.running = this.#running;
  }

  /** `message` has the text before the answer, which is empty unless it is continued. */
  begin(message: TreeMessage, body: ChatRequestBody): void {
    const { answers, monotonicMs, onChange } = this.#options;
    const startedAt = monotonicMs();
    this.#abort = new AbortController();
    this.#request = undefined;
    const { signal: stopped } = this.#abort;
    const onStarted = (id: string): void => {
      this.#request = { id, received: 0 };
      this.#latest = { ...this.#latest, received: 0 };
      if (stopped.aborted) this.#cancel();
      else onChange({ ...message, request: this.#request });
    };
    const parts = answers.start(body, { ...this.#receiving(), onStarted });
    void this.#run(message, { parts, elapsedMs: () => monotonicMs() - startedAt });
  }

  /** Continues to receive an answer. `message` has its request. */
  resume(message: TreeMessage): void {
    this.#request = message.request;
    if (this.#request === undefined) return;
    this.#abort = new AbortController();
    const parts = this.#options.answers.resume(this.#request, this.#receiving());
    // The first token has arrived before.
    void this.#run(message, { parts, elapsedMs: () => undefined });
  }

  stop(): void {
    if (this.#running.peek() === undefined) return;
    this.#abort.abort();
    this.#cancel();
  }

  /** Tries to connect now, if the connection is lost. */
  reconnect(): void {
    this.#endPause();
  }

  #receiving(): ReceiveOptions {
    return {
      signal: this.#abort.signal,
      onLost: (isLost) => {
        this.#isLost.value = isLost;
      },
      retry: () =>
        new Promise((resolve) => {
          this.#endPause = resolve;
        }),
    };
  }

  #cancel(): void {
    if (this.#request !== undefined) this.#options.answers.cancel(this.#request.id).catch(() => {});
  }

  async #run(message: TreeMessage, source: Source): Promise<void> {
    this.#latest = beginAnswer(message);
    this.#isLost.value = false;
    const answer = signal(this.#latest);
    this.#running.value = { id: message.id, answer, isLost: this.#isLost };
    let end: Partial<TreeMessage> = {};
    try {
      await this.#receive(source, answer);
    } catch (error) {
      end = describeEnd(error, {
        answer: answer.peek(),
        request: this.#request,
        isStopped: this.#abort.signal.aborted,
      });
    }
    const { request, error, ...begun } = message;
    this.#running.value = undefined;
    this.#options.onChange({ ...toMessage(begun, answer.peek()), ...end });
  }

  /** Whether the answer was stopped, because it would not end by itself. */
  #endRunaway(): boolean {
    const { content, received } = this.#latest;
    const limit = this.#options.maxTokens();
    const reason = isRepeating(content) ? 'repeated' : limit > 0 && received > limit ? 'page_limit' : undefined;
    if (reason === undefined || this.#latest.stats !== undefined) return false;
    this.#latest = { ...this.#latest, stats: { done_reason: reason } };
    this.stop();
    return true;
  }

  /** The signal changes once per frame. */
  async #receive({ parts, elapsedMs }: Source, answer: Signal<Answer>): Promise<void> {
    let isScheduled = false;
    try {
      for await (const part of parts) {
        this.#latest = addPart(this.#latest, part, elapsedMs());
        if (this.#endRunaway()) break;
        if (isScheduled) continue;
        isScheduled = true;
        this.#options.nextFrame(() => {
          isScheduled = false;
          answer.value = this.#latest;
        });
      }
    } finally {
      // The next frame may never come.
      answer.value = this.#latest;
    }
  }
}

interface AnswerState {
  readonly answer: Answer;
  /** undefined: the server has not accepted the request. */
  readonly request: AnswerRequest | undefined;
  /** The user stopped the answer. */
  readonly isStopped: boolean;
}

/** Why an answer ended before it was complete. */
function describeEnd(error: unknown, { answer, request, isStopped }: AnswerState): Partial<TreeMessage> {
  const { code, status } = error instanceof ApiError ? error : { code: '', status: 0 };
  // Another page can cancel it, too.
  if (isStopped || code === 'cancelled') return { stats: { done_reason: 'stopped' } };
  // The rest of the answer may be there when the user comes back.
  const rest = request && { ...request, received: answer.received };
  if (isForgotten(error)) return { error: forgottenText, request: rest };
  return { error: errorText(error), request: status === 0 ? rest : undefined };
}
