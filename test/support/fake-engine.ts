// An engine without processes: it plays a script of events, and records what the services request.

import { HearthError } from '../../src/base/errors.ts';
import type { ConversationRequest } from '../../src/inference/engine/conversation.ts';
import type {
  AcquireRequest,
  ConversationEvent,
  Embeddings,
  EmbedRequest,
  Engine,
  GenerateEvent,
  GenerateRequest,
  GenerateStats,
  Lease,
  LoadedModel,
  Ranking,
  RankRequest,
} from '../../src/inference/engine/ports.ts';

/** An error is thrown in place of an event. `hang`: no event follows until the request is aborted. */
export type ScriptedEvent = GenerateEvent | HearthError | 'hang';

export interface EngineScript {
  /** The events of each conversation. Absent: the engine needs prompts. */
  readonly conversations?: readonly (readonly ConversationEvent[])[];
  /** The events of each generation. */
  readonly answers?: readonly (readonly ScriptedEvent[])[];
  readonly contextLength?: number;
  readonly embed?: (request: EmbedRequest) => Embeddings;
  readonly rank?: (request: RankRequest) => Ranking;
  readonly acquireError?: HearthError;
}

export interface FakeEngine extends Engine {
  readonly acquired: AcquireRequest[];
  readonly generated: GenerateRequest[];
  readonly conversed: ConversationRequest[];
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
  const conversed: ConversationRequest[] = [];
  const embedded: EmbedRequest[] = [];
  const ranked: RankRequest[] = [];
  const unloaded: string[] = [];
  let leases = 0;

  async function* generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    const events = script.answers?.[generated.length];
    generated.push(request);
    if (events === undefined) throw new Error('the script has no more answers');
    for (const event of events) {
      if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
      if (event instanceof HearthError) throw event;
      if (event === 'hang') throw await canceled(signal);
      yield event;
    }
  }

  async function* converse(request: ConversationRequest): AsyncGenerator<ConversationEvent> {
    conversed.push(request);
    yield* script.conversations?.[conversed.length - 1] ?? [];
  }

  function createLease({ name, source }: AcquireRequest): Lease {
    leases++;
    const info = { contextLength: script.contextLength ?? 4096 };
    return {
      model: { name, key: source.key, info } as LoadedModel,
      generate,
      ...(script.conversations === undefined ? {} : { converse }),
      embed: async (request) => {
        embedded.push(request);
        if (script.embed === undefined) throw new Error('the script has no embeddings');
        return script.embed(request);
      },
      rank: async (request) => {
        ranked.push(request);
        if (script.rank === undefined) throw new Error('the script has no scores');
        return script.rank(request);
      },
      countTokens: async (prompt) => prompt.split(/\s+/).filter((word) => word !== '').length,
      tokenize: async (text, { addSpecial }) => [...(addSpecial ? [0] : []), ...Buffer.from(text)],
      detokenize: async (tokens) => Buffer.from(tokens).toString(),
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
      return createLease(request);
    },
    planContext: () => ({
      length: script.contextLength ?? 4096,
      lengths: [script.contextLength ?? 4096],
      source: 'memory',
      parallel: 4,
      cacheTypes: { keys: 'f16', values: 'f16' },
      bytes: 1,
    }),
    unload: async (key) => void unloaded.push(key),
    loaded: () => [],
    queue: () => [],
    close: async () => {},
  };
}

export const started: GenerateEvent = { type: 'started', promptTokens: 7, cachedTokens: 2, droppedTokens: 0 };

export function text(content: string): GenerateEvent {
  return { type: 'text', text: content };
}

export function done(reason: 'stop' | 'length' = 'stop', stats: Partial<GenerateStats> = {}): GenerateEvent {
  const defaults = { promptTokens: 7, promptNanoseconds: 70, generatedTokens: 3, generateNanoseconds: 30 };
  return { type: 'done', reason, stats: { ...defaults, ...stats } };
}

/** A complete answer of these texts. */
export function answerWith(...texts: readonly string[]): readonly GenerateEvent[] {
  return [started, ...texts.map(text), done()];
}
