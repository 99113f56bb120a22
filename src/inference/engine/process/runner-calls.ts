// The calls to a runner. Each ends with the signal of its request, whether or not the runner responds.

import { HearthError, requestCanceled } from '../../../base/errors.ts';
import { onClosed, openLater } from '../../../base/pipe.ts';
import type { AnswerEvent } from '../../model/answer-event.ts';
import type { TokenBytes, TokenizeOptions } from '../../model/model.ts';
import type { Embeddings, EmbedRequest, Ranking, RankRequest } from '../../model/vectors.ts';
import type { GenerateCommand, RunnerCommand } from '../../protocol/messages.ts';
import type { AnsweringType, AnswerOf, RunnerRequests } from './runner-requests.ts';

interface QuestionOptions {
  readonly signal?: AbortSignal;
}

interface CollectOptions {
  readonly signal: AbortSignal;
  readonly onFirst: (() => void) | undefined;
}

interface RunnerCallsOptions {
  readonly requests: RunnerRequests;
  readonly send: (command: RunnerCommand) => void;
  /** Removes a command that was not sent yet. False if it was sent. */
  readonly withdraw: (id: number) => boolean;
  readonly hasExited: () => boolean;
}

export function createRunnerCalls({ requests, send, withdraw, hasExited }: RunnerCallsOptions) {
  const check = (signal?: AbortSignal): void => {
    if (hasExited()) throw new HearthError('runner_died', 'llama runner process has terminated');
    if (signal?.aborted) throw requestCanceled();
  };
  const cancel = (id: number): void => {
    if (!withdraw(id)) send({ type: 'cancel', id });
  };

  async function ask<Type extends AnsweringType>(
    type: Type,
    toCommand: (id: number) => RunnerCommand,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Type>> {
    check(signal);
    const { id, answer, abort } = requests.openQuestion(type);
    const onAbort = (): void => abort(requestCanceled());
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      send(toCommand(id));
      return await answer;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      requests.close(id);
      withdraw(id);
    }
  }

  /** The vectors that answer a command; `toCommand` is not called for none. */
  async function collect(count: number, toCommand: (id: number) => RunnerCommand, options: CollectOptions) {
    const { signal, onFirst } = options;
    check(signal);
    const { id, collector } = requests.openEmbed(count, onFirst);
    const onAbort = (): void => collector.abort(requestCanceled());
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (count > 0) send(toCommand(id));
      return await collector.embeddings;
    } finally {
      signal.removeEventListener('abort', onAbort);
      requests.close(id);
      if (!collector.complete) cancel(id);
    }
  }

  return {
    generate: (command: Omit<GenerateCommand, 'type' | 'id'>, signal: AbortSignal): AsyncIterable<AnswerEvent> =>
      openLater(async () => {
        check(signal);
        const { id, stream } = requests.openStream();
        const onAbort = (): void => stream.abort(requestCanceled());
        signal.addEventListener('abort', onAbort, { once: true });
        send({ type: 'generate', id, ...command });
        return onClosed(stream, () => {
          signal.removeEventListener('abort', onAbort);
          requests.close(id);
          if (!stream.complete) cancel(id);
        });
      }),
    /** `onFirst` is called at the first vectors. */
    embed: (
      { texts, truncate, maxTokens }: EmbedRequest,
      signal: AbortSignal,
      onFirst?: () => void,
    ): Promise<Embeddings> =>
      collect(texts.length, (id) => ({ type: 'embed', id, texts, truncate, maxTokens }), { signal, onFirst }),
    /** `onFirst` is called at the first scores. */
    async rank(request: RankRequest, signal: AbortSignal, onFirst?: () => void): Promise<Ranking> {
      const toCommand = (id: number): RunnerCommand => ({ type: 'rank', id, ...request });
      const { vectors, tokens } = await collect(request.documents.length, toCommand, { signal, onFirst });
      // The first output is the relevance, whatever others a model has.
      return { scores: vectors.map(([score = Number.NaN]) => score), outputs: vectors, tokens };
    },
    /** Number of tokens of a text. The runner stops counting a text that is far longer than the context. */
    countTokens: async (
      text: string,
      { images = 0, signal }: QuestionOptions & { readonly images?: number | undefined } = {},
    ): Promise<number> => (await ask('counted', (id) => ({ type: 'count', id, text, images }), signal)).tokens,
    tokenize: async (
      text: string,
      { signal, ...options }: QuestionOptions & TokenizeOptions,
    ): Promise<readonly number[]> =>
      (await ask('tokenized', (id) => ({ type: 'tokenize', id, text, ...options }), signal)).tokens,
    detokenize: async (tokens: readonly number[], { signal }: QuestionOptions = {}): Promise<string> =>
      (await ask('detokenized', (id) => ({ type: 'detokenize', id, tokens }), signal)).text,
    piecesOf: async (tokens: readonly number[], { signal }: QuestionOptions = {}): Promise<TokenBytes> =>
      (await ask('detokenized', (id) => ({ type: 'detokenize', id, tokens, wantPieces: true }), signal)).pieces ?? [],
  };
}

export type RunnerCalls = ReturnType<typeof createRunnerCalls>;
