// A request's hold on a remote model, with the calls that a local model has, too.

import { HearthError } from '../../base/errors.ts';
import { pipe } from '../../base/pipe.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { OptionValues } from '../../models/options.ts';
import type { ConversationRequest } from '../engine/conversation.ts';
import type { ConversationEvent, GenerateEvent, GenerateRequest, Lease, LoadedModel } from '../engine/ports.ts';
import type { Feature } from './probe/endpoint-facts.ts';
import { readAnswer } from './read-answer.ts';
import type { RemoteCalls, Target } from './remote-calls.ts';
import { toConversationEvents } from './to-events.ts';
import type { WireRequest } from './wire/answer-part.ts';
import { readEmbeddings, toEmbeddingRequest } from './wire/embeddings.ts';
import { toOllamaChat, toOllamaGenerate } from './wire/ollama.ts';
import { toChatRequest, toCompletionRequest } from './wire/openai-request.ts';
import { readRanking, toRankRequest } from './wire/ranking.ts';
import { readDetokenized, readTokenized, toDetokenizeRequest, toTokenizeRequest } from './wire/tokens.ts';

export interface RemoteLeaseOptions {
  readonly remote: string;
  readonly calls: RemoteCalls;
  readonly model: LoadedModel;
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

export function createRemoteLease(options: RemoteLeaseOptions): Lease {
  const { remote, calls, model, given, signal: requestSignal, isCrowded, clock, onRelease } = options;

  function answer(
    { prefix, toRequest }: { readonly prefix: string; readonly toRequest: (target: Target) => WireRequest },
    answerSignal: AbortSignal,
  ): AsyncGenerator<ConversationEvent> {
    const signal = answerSignal === requestSignal ? requestSignal : AbortSignal.any([answerSignal, requestSignal]);
    const begun = clock.monotonic();
    const work = async (target: Target): Promise<AsyncIterable<ConversationEvent>> => {
      const request = toRequest(target);
      const response = await calls.send(target, request, signal);
      const parts = readAnswer({ remote, kind: target.facts.kind, response, request, isCrowded });
      return toConversationEvents(parts, request, { begun, clock });
    };
    return calls.attempt(prefix.slice(0, maxPrefix), work, signal);
  }

  const need = ({ facts }: Target, feature: Feature, what: string): void => {
    if (facts.features.has(feature)) return;
    throw new HearthError('unsupported', `the remote "${remote}" does not support ${what}`);
  };
  const tokenize = (text: string, addSpecial: boolean): Promise<readonly number[]> =>
    calls.ask(async (target) => {
      need(target, 'tokenize', 'tokenizing');
      return readTokenized(
        await calls.call(target, toTokenizeRequest(target, { text, addSpecial }), requestSignal),
        remote,
      );
    }, requestSignal);

  return {
    model,
    converse: (request: ConversationRequest, signal) =>
      answer(
        {
          prefix: request.messages.map(({ role, content }) => `${role}\n${content}\n`).join(''),
          toRequest: ({ facts: { kind }, model: served }) =>
            kind === 'ollama'
              ? toOllamaChat({ remote, model: served }, request)
              : toChatRequest({ remote, kind, model: served }, request),
        },
        signal,
      ),
    generate(request: GenerateRequest, signal): AsyncGenerator<GenerateEvent> {
      const toRequest = ({ facts: { kind, models }, model: served }: Target): WireRequest => {
        if (kind === 'ollama') return toOllamaGenerate({ remote, model: served }, request, given);
        const contextLength = models.find(({ id }) => id === served)?.contextLength;
        return toCompletionRequest({ remote, kind, model: served, contextLength }, request, given);
      };
      // Completions have neither calls nor separate thinking.
      return pipe(answer({ prefix: request.prompt, toRequest }, signal), {
        push(event: ConversationEvent, pass: (event: GenerateEvent) => void) {
          if (event.type !== 'tool-calls' && event.type !== 'thinking') pass(event);
        },
      });
    },
    embed: ({ texts, truncate }, signal) =>
      calls.ask(async (target) => {
        need(target, 'embeddings', 'embeddings');
        const request = toEmbeddingRequest(target, { texts, truncate });
        return readEmbeddings(await calls.call(target, request, signal), texts.length, remote);
      }, signal),
    rank: (request, signal) =>
      calls.ask(async (target) => {
        need(target, 'rerank', 'rerank');
        const answered = await calls.call(target, toRankRequest(target, request), signal);
        return readRanking(answered, request.documents.length, remote);
      }, signal),
    async countTokens(prompt) {
      try {
        return (await tokenize(prompt, false)).length;
      } catch (error) {
        if (!(error instanceof HearthError) || error.code !== 'unsupported') throw error;
        return Math.ceil(Buffer.byteLength(prompt) / bytesPerToken);
      }
    },
    tokenize: (text, { addSpecial }) => tokenize(text, addSpecial),
    detokenize: (tokens) =>
      calls.ask(async (target) => {
        need(target, 'tokenize', 'detokenizing');
        return readDetokenized(await calls.call(target, toDetokenizeRequest(target, tokens), requestSignal), remote);
      }, requestSignal),
    release: onRelease,
  };
}
