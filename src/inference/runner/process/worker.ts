// Handles the requests to a loaded model: generate, count, embed, rank. The step loop and the embedders alternate. The runner
// reads its pipe in between, so requests join and leave between steps.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { allZeroCounters, type Counters, type CountersOf } from '../../protocol/counters.ts';
import type {
  CountCommand,
  DetokenizeCommand,
  EmbedCommand,
  GenerateCommand,
  LoadCommand,
  RankCommand,
  RunnerEvent,
  TokenizeCommand,
} from '../../protocol/messages.ts';
import type { EmbedContext } from '../embed/embed-context.ts';
import { createEmbedTokenizer } from '../embed/embed-input.ts';
import { Embedder } from '../embed/embedder.ts';
import { collectTime, createOutbox, type Outbox } from '../events/outbox.ts';
import { Slots } from '../generate/kv-cache/slots.ts';
import { ChoicePool, createChoicesAhead } from '../generate/sampling/ahead/choice-pool.ts';
import { createCandidates } from '../generate/sampling/candidates.ts';
import { checkTokens, countTokens } from '../generate/sequence/prompt.ts';
import { toSequence } from '../generate/sequence/to-sequence.ts';
import { createDraftHistory } from '../generate/speculation/draft-history.ts';
import { createPassCosts } from '../generate/speculation/pass-costs.ts';
import { StepLoop } from '../generate/step/step-loop.ts';
import { createTokenPieces } from '../generate/text/answer-pieces.ts';
import type { EngineContext } from '../llama/context.ts';
import type { NativeModel } from './load-model.ts';
import { openPrefixCache } from './open-prefix-cache.ts';

interface WorkerOptions
  extends Pick<LoadCommand, 'prefixCacheBytes' | 'prefixDisk' | 'slotTime' | 'speculation' | 'announcesBlocks'> {
  readonly write: (event: RunnerEvent) => void;
}

// A turn of the event loop, which reads the pipe, takes a twentieth of a step of a small model. While a GPU
// computes, it costs nothing.
const minTurnNanoseconds = 4 * nanosecondsPerMillisecond;

export function createWorker(model: NativeModel, options: WorkerOptions) {
  const { write } = options;
  const { context, vocabulary, imageEncoder, info } = model;
  const outbox = createOutbox(systemClock, write, model.hasDeviceMemory ? collectTime.onGpu : collectTime.onCpu);
  const generator = context && createGenerator({ ...options, model, context, outbox });
  const embedder = openEmbedder(model, model.embedContext, outbox);
  const embedTokenizer = embedder && createEmbedTokenizer(vocabulary, info.contextLength);
  const rankEmbedder = openEmbedder(model, model.ranker?.context, outbox);
  const embedders = [embedder, rankEmbedder].filter((one) => one !== undefined);
  const sizes = { contextLength: info.contextLength, imageTokens: imageEncoder?.typicalTokens ?? 0 };
  let running = false;
  let arrived = false;

  /** Returns false if nothing is left to do. */
  const step = (): boolean => {
    const generating = generator?.step() ?? false;
    generator?.reportSize();
    const busy = embedders.filter(({ isIdle }) => !isIdle);
    for (const one of busy) one.step({ othersGenerate: generating });
    return generating || busy.some(({ isIdle }) => !isIdle);
  };
  // Requests rarely come alone. Those that arrive while a GPU computes are read before the next step is planned. They would
  // wait for that step, too.
  const run = (): void => {
    if (arrived && generator?.sample() === true) {
      arrived = false;
      setImmediate(advance);
    } else advance();
  };
  const advance = (): void => {
    const begun = systemClock.monotonic();
    let busy: boolean;
    do busy = step();
    while (busy && !model.hasDeviceMemory && systemClock.monotonic() - begun < minTurnNanoseconds);
    if (busy) {
      setImmediate(run);
      return;
    }
    running = false;
    generator?.rest();
    outbox.flush();
    outbox.send({
      type: 'counters',
      counters: { ...allZeroCounters(), ...generator?.counters(), ...embedCounters(embedder, rankEmbedder) },
    });
  };
  const wake = (): void => {
    generator?.wake();
    arrived = true;
    if (!running) setImmediate(run);
    running = true;
  };

  imageEncoder?.watch(wake);

  /** A request that cannot be carried out fails alone. */
  const attempt = (id: number, action: () => void): void => {
    try {
      action();
    } catch (error) {
      outbox.fail(id, error);
    }
  };

  return {
    /** The next counters have the new size. */
    limitPrefixes(maxBytes: number): void {
      generator?.limitPrefixes(maxBytes);
      wake();
    },
    generate(command: GenerateCommand): void {
      attempt(command.id, () => {
        if (generator === undefined) throw cannotGenerate(model);
        generator.add(command);
        wake();
      });
    },
    embed(command: EmbedCommand): void {
      attempt(command.id, () => {
        if (embedder === undefined || embedTokenizer === undefined) throw loadedForVocabulary('embed');
        const { id, texts } = command;
        const tokensOf = (index: number) => embedTokenizer.tokenize(texts[index] ?? '', command);
        embedder.add({ id, count: texts.length, tokensOf });
        wake();
      });
    },
    rank(command: RankCommand): void {
      attempt(command.id, () => {
        if (rankEmbedder === undefined || model.ranker === undefined) throw cannotRank(model);
        const { id, documents } = command;
        const tokensOf = model.ranker.tokenizer.open(command);
        rankEmbedder.add({ id, count: documents.length, tokensOf: (index) => tokensOf(documents[index] ?? '') });
        wake();
      });
    },
    count({ id, text, images = 0 }: CountCommand): void {
      attempt(id, () => write({ type: 'counted', id, tokens: countTokens(vocabulary, text, { ...sizes, images }) }));
    },
    tokenize({ id, text, ...options }: TokenizeCommand): void {
      attempt(id, () => write({ type: 'tokenized', id, tokens: vocabulary.tokenize(text, options) }));
    },
    detokenize({ id, tokens, wantPieces = false }: DetokenizeCommand): void {
      attempt(id, () => {
        checkTokens(vocabulary, tokens);
        const pieces = tokens.map(vocabulary.pieceOf);
        const text = Buffer.concat(pieces).toString('utf8');
        write({ type: 'detokenized', id, text, ...(wantPieces ? { pieces: pieces.map((piece) => [...piece]) } : {}) });
      });
    },
    cancel(id: number): void {
      generator?.cancel(id);
      embedder?.cancel(id);
      rankEmbedder?.cancel(id);
    },
    /** Writes prefixes to disk that would be lost with the process. */
    close: async (): Promise<void> => generator?.close(),
  };
}

export type Worker = ReturnType<typeof createWorker>;

interface GeneratorSources extends Omit<WorkerOptions, 'write'> {
  readonly model: NativeModel;
  readonly context: EngineContext;
  readonly outbox: Outbox;
}

function createGenerator(sources: GeneratorSources) {
  const { model, context, outbox, prefixCacheBytes, slotTime = Number.POSITIVE_INFINITY, speculation = true } = sources;
  const { api, vocabulary, imageEncoder, info } = model;
  const { contextLength, batch: numBatch, parallel } = info;
  const { prefixCache, disk, watch, ...saver } = openPrefixCache({ ...sources, spill: () => slots.spill() });
  const { isControl } = vocabulary;
  const slots = new Slots({
    context,
    prefixCache,
    disk,
    watch,
    count: parallel,
    sharesPrefixes: prefixCacheBytes > 0,
    hasDeviceMemory: model.hasDeviceMemory,
    isControl,
  });
  const slotNanoseconds = slotTime * nanosecondsPerMillisecond;
  const limits = { contextLength, numBatch, slotNanoseconds };
  const passCosts = createPassCosts();
  const candidates = createCandidates(api, vocabulary.size);
  const choicesAhead = createChoicesAhead(openChoicePool(model));
  const common = { ...model, context, passCosts, choicesAhead, clock: systemClock };
  const loop = new StepLoop({ ...common, ...limits, slots, outbox });
  // A draft is removed from the cache where it was wrong, which most recurrent models cannot do.
  const speculates = speculation && context.rollback > 0;
  const draftHistory = createDraftHistory();
  const tokenPieces = createTokenPieces(vocabulary);
  const sequenceSources = { ...common, candidates, tokenPieces, contextLength, draftHistory, speculation: speculates };
  return {
    /** Throws if the request cannot be carried out. */
    add: (command: GenerateCommand): void => loop.add(toSequence(sequenceSources, command)),
    cancel: (id: number): void => loop.cancel(id),
    limitPrefixes: (maxBytes: number): void => prefixCache.limit(maxBytes),
    sample: () => loop.sample(),
    step: () => loop.step(),
    counters: (): Partial<Counters> => ({
      ...loop.counters,
      ...imageEncoder?.counters,
      prefixesKept: prefixCache.kept,
      prefixesEvicted: prefixCache.evicted,
      ...disk?.counters,
    }),
    ...saver,
  };
}

// More threads hardly help: they wake up one after another.
const maxChoiceThreads = 12;

/** Only while a GPU computes: otherwise llama.cpp's threads use all cores. */
function openChoicePool({ api, hasDeviceMemory, vocabulary }: NativeModel): ChoicePool | undefined {
  const threads = Math.min(maxChoiceThreads, availableParallelism() - 1);
  if (!hasDeviceMemory || threads === 0) return undefined;
  const script = join(import.meta.dirname, '../generate/sampling/ahead/choice-thread.js');
  return new ChoicePool({ api, script, threads, vocabularySize: vocabulary.size, clock: systemClock });
}

function openEmbedder({ info }: NativeModel, context: EmbedContext | undefined, outbox: Outbox): Embedder | undefined {
  return context && new Embedder(context, outbox, { clock: systemClock, numBatch: info.batch });
}

function embedCounters(embedder?: Embedder, ranker?: Embedder): CountersOf<'embeddings' | 'ranking'> {
  return {
    textsEmbedded: embedder?.counters.texts ?? 0,
    embedTokensEvaluated: embedder?.counters.tokens ?? 0,
    embedPasses: embedder?.counters.passes ?? 0,
    documentsRanked: ranker?.counters.texts ?? 0,
    rankTokensEvaluated: ranker?.counters.tokens ?? 0,
    rankPasses: ranker?.counters.passes ?? 0,
  };
}

function cannotGenerate({ embedContext }: NativeModel): HearthError {
  if (embedContext === undefined) return loadedForVocabulary('generate');
  return new HearthError('bad_request', 'the model is an embedding model and cannot generate');
}

function cannotRank({ embedContext }: NativeModel): HearthError {
  if (embedContext === undefined) return loadedForVocabulary('rank');
  return new HearthError('bad_request', 'the model is not a reranker and cannot rank');
}

function loadedForVocabulary(what: string): HearthError {
  return new HearthError('bad_request', `the model was loaded with vocab_only and cannot ${what}`);
}
