// A request's hold on a remote model, with the calls that a local model has, too.

import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { OptionValues } from '../../models/options.ts';
import type { GenerateRequest, Lease, LoadedModel, LoadTime } from '../engine/ports.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { TokenBytes, TokenizeOptions } from '../model/model.ts';
import type { Embeddings, EmbedRequest, RankRequest } from '../model/vectors.ts';
import { brokenAnswer } from './http/remote-error.ts';
import { toObject } from './json/json-fields.ts';
import type { EndpointFeature } from './probe/endpoint-facts.ts';
import { readAnswer } from './read-answer.ts';
import type { RemoteCalls } from './remote-calls.ts';
import type { RoutedPrompt, Target } from './remote-target.ts';
import { maxTextsAtOnce, readEmbeddings, toEmbeddingRequest } from './wire/embeddings.ts';
import { toOllamaChat, toOllamaGenerate } from './wire/ollama.ts';
import { createOpenAiReader } from './wire/openai-reader.ts';
import { toChatRequest, toCompletionRequest } from './wire/openai-request.ts';
import {
  type AskedScores,
  asksForScores,
  checkScores,
  readPromptTokens,
  toLastChunk,
  toScoredRequest,
} from './wire/prompt-logprobs.ts';
import { toChatTokens, toPromptTokens } from './wire/prompt-tokens.ts';
import { readRanking, toRankRequest } from './wire/ranking.ts';
import { RemoteAnswer } from './wire/remote-answer.ts';
import type { RemoteConversation } from './wire/remote-conversation.ts';
import { readDetokenized, readTokenized, toDetokenizeRequest, toTokenizeRequest } from './wire/tokens.ts';
import type { WireRequest } from './wire/wire-request.ts';

interface RemoteLeaseOptions {
  readonly remote: string;
  readonly calls: RemoteCalls;
  readonly model: LoadedModel;
  /** Absent: the remote loads it. */
  readonly loadTime?: LoadTime | undefined;
  /** The options that the request or the model sets. */
  readonly given: OptionValues;
  /** The signal of the request. */
  readonly signal: AbortSignal;
  /** Whether many answers are read at the same time. */
  readonly isCrowded: () => boolean;
  readonly clock: Clock;
  readonly onRelease: () => void;
}

// Characters that decide where a request goes.
const maxPrefix = 64 * 1024;
// Bytes of a usual token, for endpoints that cannot count.
const bytesPerToken = 4;

/** The form of requests for log probabilities of prompts, which Hearth understands, too. */
const scoringKind = 'vllm';

export class RemoteLease implements Lease {
  readonly model: LoadedModel;
  readonly loadTime: LoadTime | undefined;
  readonly #options: RemoteLeaseOptions;

  constructor(options: RemoteLeaseOptions) {
    this.model = options.model;
    this.loadTime = options.loadTime;
    this.#options = options;
  }

  /** The remote renders the prompt. */
  converse(request: RemoteConversation, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const { remote } = this.#options;
    const prefix = request.messages.map(({ role, content }) => `${role}\n${content}\n`).join('');
    if (asksForScores(request)) {
      const toScored = ({ model }: Target): WireRequest => toChatRequest({ remote, kind: scoringKind, model }, request);
      return this.#answerWithScores(prefix, { ...request, toRequest: toScored }, signal);
    }
    const toRequest = ({ facts: { kind }, model }: Target): WireRequest =>
      kind === 'ollama' ? toOllamaChat({ remote, model }, request) : toChatRequest({ remote, kind, model }, request);
    return this.#answer({ prefix, toTokens: (target) => toChatTokens(target, request) }, toRequest, signal);
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const { remote, given } = this.#options;
    if (asksForScores(request)) {
      const toScored = ({ model }: Target): WireRequest =>
        toCompletionRequest({ remote, kind: scoringKind, model }, request, given);
      return this.#answerWithScores(request.prompt, { ...request, toRequest: toScored }, signal);
    }
    const toRequest = ({ facts: { kind, models }, model }: Target): WireRequest => {
      if (kind === 'ollama') return toOllamaGenerate({ remote, model }, request, given);
      const contextLength = models.find(({ id }) => id === model)?.contextLength;
      return toCompletionRequest({ remote, kind, model, contextLength }, request, given);
    };
    const toTokens = (target: Target) => toPromptTokens(target, request);
    return this.#answer({ prefix: request.prompt, toTokens }, toRequest, signal);
  }

  embed({ texts, truncate }: EmbedRequest, signal: AbortSignal) {
    const { remote, calls } = this.#options;
    return calls.ask(async (target) => {
      this.#need(target, 'embeddings', 'embeddings');
      const parts: Embeddings[] = [];
      for (let start = 0; start < texts.length; start += maxTextsAtOnce) {
        const some = texts.slice(start, start + maxTextsAtOnce);
        const request = toEmbeddingRequest(target, { texts: some, truncate });
        parts.push(readEmbeddings(await calls.call(target, request, signal), some, remote));
      }
      return { vectors: parts.flatMap(({ vectors }) => vectors), tokens: parts.flatMap(({ tokens }) => tokens) };
    }, signal);
  }

  rank({ query, documents }: RankRequest, signal: AbortSignal) {
    const { remote, calls } = this.#options;
    if (query === undefined) throw new HearthError('unsupported', `the remote "${remote}" does not support classify`);
    const request = { query, documents };
    return calls.ask(async (target) => {
      this.#need(target, 'rerank', 'rerank');
      const answered = await calls.call(target, toRankRequest(target, request), signal);
      return readRanking(answered, request, remote);
    }, signal);
  }

  // Callers take the function alone.
  readonly countTokens = async (prompt: string): Promise<number> => {
    try {
      return (await this.tokenize(prompt, { addSpecial: false })).length;
    } catch (error) {
      if (!(error instanceof HearthError) || error.code !== 'unsupported') throw error;
      return Math.ceil(Buffer.byteLength(prompt) / bytesPerToken);
    }
  };

  tokenize(text: string, options: TokenizeOptions): Promise<readonly number[]> {
    const { remote, calls, signal } = this.#options;
    return calls.ask(async (target) => {
      this.#need(target, 'tokenize', 'tokenizing');
      return readTokenized(await calls.call(target, toTokenizeRequest(target, { text, ...options }), signal), remote);
    }, signal);
  }

  detokenize(tokens: readonly number[]): Promise<string> {
    const { remote, calls, signal } = this.#options;
    return calls.ask(async (target) => {
      this.#need(target, 'tokenize', 'detokenizing');
      return readDetokenized(await calls.call(target, toDetokenizeRequest(target, tokens), signal), remote);
    }, signal);
  }

  /** Remotes tell the text of several tokens, in which bytes of incomplete characters are lost. */
  piecesOf(): Promise<TokenBytes> {
    const { remote } = this.#options;
    return Promise.reject(new HearthError('unsupported', `the remote "${remote}" does not tell the bytes of tokens`));
  }

  release(): void {
    this.#options.onRelease();
  }

  #answer(
    prompt: RoutedPrompt,
    toRequest: (target: Target) => WireRequest,
    answerSignal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const { remote, calls, signal: requestSignal, isCrowded, clock } = this.#options;
    const signal = answerSignal === requestSignal ? requestSignal : AbortSignal.any([answerSignal, requestSignal]);
    const begun = clock.monotonic();
    const work = async (target: Target): Promise<AsyncIterable<AnswerEvent>> => {
      const request = toRequest(target);
      const response = await calls.send(target, request, signal);
      return readAnswer({ remote, kind: target.facts.kind, response, request, isCrowded, begun, clock });
    };
    return calls.attempt({ ...prompt, prefix: prompt.prefix.slice(0, maxPrefix) }, work, signal);
  }

  /** The whole answer comes at once. */
  #answerWithScores(
    text: string,
    { toRequest, ...asked }: AskedScores & { readonly toRequest: (target: Target) => WireRequest },
    answerSignal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const { remote, calls, signal: requestSignal, clock } = this.#options;
    const signal = AbortSignal.any([answerSignal, requestSignal]);
    const begun = clock.monotonic();
    async function* work(target: Target): AsyncGenerator<AnswerEvent> {
      checkScores(target.facts, asked, remote);
      const request = toRequest(target);
      const response = toObject(await calls.call(target, toScoredRequest(request, asked), signal));
      const answer = new RemoteAnswer(request, { begun, clock });
      createOpenAiReader(remote, answer)(toLastChunk(response, asked));
      if (!answer.isFinished) throw brokenAnswer(remote, 'ended its answer before it was complete');
      const events: AnswerEvent[] = [];
      answer.flush((event) => events.push(event));
      const [started, ...others] = events;
      if (started !== undefined) yield started;
      yield { type: 'prompt-tokens', tokens: readPromptTokens(response, { ...asked, text }, remote) };
      yield* others;
      yield answer.end();
    }
    return calls.attempt({ prefix: text.slice(0, maxPrefix) }, work, signal);
  }

  #need({ facts }: Target, feature: EndpointFeature, what: string): void {
    if (facts.features.has(feature)) return;
    throw new HearthError('unsupported', `the remote "${this.#options.remote}" does not support ${what}`);
  }
}
