// An engine without processes: it plays a script of events, and records what the services request.

import { HearthError } from '../../src/base/errors.ts';
import type { AcquireRequest, Engine, GenerateRequest, LoadedModel } from '../../src/inference/engine/ports.ts';
import type { AnswerDone, AnswerEvent } from '../../src/inference/model/answer-event.ts';
import type { Embeddings, EmbedRequest, Ranking, RankRequest } from '../../src/inference/model/vectors.ts';
import type { TokenLogprob } from '../../src/inference/protocol/messages.ts';
import type { RemoteLease } from '../../src/inference/remote/remote-lease.ts';
import type { RemoteConversation } from '../../src/inference/remote/wire/remote-conversation.ts';

/** A text is one token. */
export type ScriptedAnswer =
  | Exclude<AnswerEvent, { type: 'text' }>
  | {
      readonly type: 'text';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
      readonly generatedTokens?: number;
    };

/** An error is thrown in place of an event. `hang`: no event follows until the request is aborted. */
export type ScriptedEvent = ScriptedAnswer | HearthError | 'hang';

export interface EngineScript {
  /** The events of each conversation with a remote model. */
  readonly conversations?: readonly (readonly ScriptedAnswer[])[];
  /** The events of each generation. */
  readonly answers?: readonly (readonly ScriptedEvent[])[];
  readonly contextLength?: number;
  readonly embed?: (request: EmbedRequest) => Embeddings;
  readonly rank?: (request: RankRequest) => Ranking;
  readonly acquireError?: HearthError;
}

export interface FakeEngine extends Engine {
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<RemoteLease>;
  readonly acquired: AcquireRequest[];
  readonly generated: GenerateRequest[];
  readonly conversed: RemoteConversation[];
  readonly embedded: EmbedRequest[];
  readonly ranked: RankRequest[];
  /** Keys of models that were to be unloaded. */
  readonly unloaded: string[];
  /** Leases that are not released. */
  openLeases(): number;
}

function canceled(signal: AbortSignal): Promise<HearthError> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(new HearthError('cancelled', 'request canceled'))),
  );
}

export function createFakeEngine(script: EngineScript = {}): FakeEngine {
  const acquired: AcquireRequest[] = [];
  const generated: GenerateRequest[] = [];
  const conversed: RemoteConversation[] = [];
  const embedded: EmbedRequest[] = [];
  const ranked: RankRequest[] = [];
  const unloaded: string[] = [];
  let leases = 0;

  async function* generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const toEvent = createToEvent();
    const events = script.answers?.[generated.length];
    generated.push(request);
    if (events === undefined) throw new Error('the script has no more answers');
    for (const event of events) {
      if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
      if (event instanceof HearthError) throw event;
      if (event === 'hang') throw await canceled(signal);
      yield toEvent(event);
    }
  }

  async function* converse(request: RemoteConversation): AsyncGenerator<AnswerEvent> {
    conversed.push(request);
    const toEvent = createToEvent();
    for (const event of script.conversations?.[conversed.length - 1] ?? []) yield toEvent(event);
  }

  function createLease({ name, source }: AcquireRequest) {
    leases++;
    const info = { contextLength: script.contextLength ?? 4096 };
    return {
      model: { name, key: source.key, info } as LoadedModel,
      generate,
      converse,
      embed: async (request: EmbedRequest) => {
        embedded.push(request);
        if (script.embed === undefined) throw new Error('the script has no embeddings');
        return script.embed(request);
      },
      rank: async (request: RankRequest) => {
        ranked.push(request);
        if (script.rank === undefined) throw new Error('the script has no scores');
        return script.rank(request);
      },
      countTokens: async (prompt: string) => prompt.split(/\s+/).filter((word) => word !== '').length,
      tokenize: async (text: string, { addSpecial }: { readonly addSpecial: boolean }) => [
        ...(addSpecial ? [0] : []),
        ...Buffer.from(text),
      ],
      detokenize: async (tokens: readonly number[]) => Buffer.from(tokens).toString(),
      piecesOf: async (tokens: readonly number[]) => tokens.map((token) => [token]),
      release: () => void leases--,
    };
  }

  return {
    acquired,
    generated,
    conversed,
    embedded,
    ranked,
    unloaded,
    openLeases: () => leases,
    acquire: async (request) => {
      acquired.push(request);
      if (script.acquireError !== undefined) throw script.acquireError;
      return createLease(request) as unknown as RemoteLease;
    },
    planContext: () => ({
      length: script.contextLength ?? 4096,
      lengths: [script.contextLength ?? 4096],
      source: 'memory',
      parallel: 4,
      cacheTypes: { keys: 'f16', values: 'f16' },
      bytes: 1,
    }),
    judgeLoad: async () => ({ verdict: 'memory' }),
    unload: async (key) => unloaded.push(key) > 0,
    loaded: () => [],
    queue: () => [],
    close: async () => {},
  };
}

function createToEvent(): (event: ScriptedAnswer) => AnswerEvent {
  let generatedTokens = 0;
  return (event) => {
    if (event.type !== 'text') return event;
    generatedTokens = event.generatedTokens ?? generatedTokens + 1;
    return { ...event, type: 'tokens', generatedTokens };
  };
}

export const started: AnswerEvent = { type: 'started', promptTokens: 7, cachedTokens: 2, droppedTokens: 0 };

export function text(content: string): Extract<AnswerEvent, { type: 'text' }> {
  return { type: 'text', text: content };
}

export function done(reason: 'stop' | 'length' = 'stop', stats: Partial<AnswerDone> = {}): AnswerEvent {
  const counts = { promptTokens: 7, cachedTokens: 2, generatedTokens: 3, thinkingTokens: 0 };
  const times = { promptNanoseconds: 70, generateNanoseconds: 30, totalNanoseconds: 0, loadNanoseconds: 0 };
  return { type: 'done', reason, ...counts, ...times, ...stats };
}

/** A complete answer of these texts. */
export function answerWith(...texts: readonly string[]): readonly AnswerEvent[] {
  return [started, ...texts.map(text), done()];
}
