// Handles the requests to a loaded model: generate, count, embed. The step loop and the embedder alternate. The runner
// reads its pipe in between, so requests join and leave between steps.

import { HearthError } from '../../base/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';
import { allZeroCounters, type Counters } from '../protocol/counters.ts';
import type {
  CountCommand,
  DetokenizeCommand,
  EmbedCommand,
  GenerateCommand,
  LoadCommand,
  RunnerEvent,
  TokenizeCommand,
} from '../protocol/messages.ts';
import { createEmbedTokenizer } from './embed/embed-input.ts';
import { createEmbedder, type Embedder } from './embed/embedder.ts';
import { createPrefixCache } from './generate/kv-cache/prefix-cache.ts';
import { createSlots } from './generate/kv-cache/slots.ts';
import { checkTokens, countTokens } from './generate/prompt.ts';
import { createCandidates } from './generate/sampling/candidates.ts';
import { createStepLoop } from './generate/step/step-loop.ts';
import { toSequence } from './generate/to-sequence.ts';
import type { EngineContext } from './llama/context.ts';
import type { NativeModel } from './load-model.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { toFailedEvent } from './to-failed-event.ts';

export interface Worker {
  generate(command: GenerateCommand): void;
  embed(command: EmbedCommand): void;
  count(command: CountCommand): void;
  tokenize(command: TokenizeCommand): void;
  detokenize(command: DetokenizeCommand): void;
  cancel(id: number): void;
}

export interface WorkerOptions extends Pick<LoadCommand, 'prefixCacheBytes' | 'slotTime'> {
  readonly write: (event: RunnerEvent) => void;
}

export function createWorker(model: NativeModel, options: WorkerOptions): Worker {
  const { write } = options;
  const { context, vocabulary, imageEncoder, info } = model;
  const outbox = createOutbox(systemClock, write);
  const generator = context && createGenerator({ ...options, model, context, outbox });
  const embedder = openEmbedder(model, outbox);
  const sizes = { contextLength: info.contextLength, imageTokens: imageEncoder?.typicalTokens ?? 0 };
  let running = false;

  const run = (): void => {
    const generating = generator?.step() ?? false;
    const embedding = embedder?.step({ othersGenerate: generating }) ?? false;
    if (generating || embedding) {
      setImmediate(run);
      return;
    }
    running = false;
    outbox.flush();
    outbox.send({
      type: 'counters',
      counters: { ...allZeroCounters(), ...generator?.counters(), ...embedder?.counters },
    });
  };
  const wake = (): void => {
    if (!running) setImmediate(run);
    running = true;
  };

  /** A request that cannot be carried out fails alone. */
  const attempt = (id: number, action: () => void): void => {
    try {
      action();
    } catch (error) {
      outbox.send(toFailedEvent(id, error));
    }
  };

  return {
    generate(command) {
      attempt(command.id, () => {
        if (generator === undefined) throw cannotGenerate(model);
        generator.add(command);
        wake();
      });
    },
    embed(command) {
      attempt(command.id, () => {
        if (embedder === undefined) throw loadedForVocabulary('embed');
        embedder.add(command);
        wake();
      });
    },
    count({ id, text, images = 0 }) {
      attempt(id, () => write({ type: 'counted', id, tokens: countTokens(vocabulary, text, { ...sizes, images }) }));
    },
    tokenize({ id, text, addSpecial }) {
      attempt(id, () => write({ type: 'tokenized', id, tokens: vocabulary.tokenize(text, { addSpecial }) }));
    },
    detokenize({ id, tokens }) {
      attempt(id, () => {
        checkTokens(vocabulary, tokens);
        const text = Buffer.concat(tokens.map(vocabulary.pieceOf)).toString('utf8');
        write({ type: 'detokenized', id, text });
      });
    },
    cancel(id) {
      generator?.cancel(id);
      embedder?.cancel(id);
    },
  };
}

interface Generator {
  /** Throws if the request cannot be carried out. */
  add(command: GenerateCommand): void;
  cancel(id: number): void;
  step(): boolean;
  counters(): Partial<Counters>;
}

interface GeneratorParts extends Pick<WorkerOptions, 'prefixCacheBytes' | 'slotTime'> {
  readonly model: NativeModel;
  readonly context: EngineContext;
  readonly outbox: Outbox;
}

function createGenerator(parts: GeneratorParts): Generator {
  const { model, context, outbox, prefixCacheBytes, slotTime = Number.POSITIVE_INFINITY } = parts;
  const { api, vocabulary, imageEncoder, info } = model;
  const { contextLength, batch: numBatch, parallel } = info;
  const prefixCache = createPrefixCache(prefixCacheBytes);
  const sharesPrefixes = model.sharesPrefixes && prefixCacheBytes > 0;
  const slots = createSlots({ context, prefixCache, count: parallel, sharesPrefixes });
  const slotNanoseconds = slotTime * nanosecondsPerMillisecond;
  const limits = { contextLength, numBatch, slotNanoseconds };
  const loop = createStepLoop({ ...model, ...limits, context, slots, outbox, clock: systemClock });
  const candidates = createCandidates(api, vocabulary.size);
  const sources = { ...model, context, candidates, contextLength, clock: systemClock };
  return {
    add: (command) => loop.add(toSequence(sources, command)),
    cancel: loop.cancel,
    step: loop.step,
    counters: () => ({
      ...loop.counters,
      ...imageEncoder?.counters,
      prefixesKept: prefixCache.kept,
      prefixesEvicted: prefixCache.evicted,
    }),
  };
}

function openEmbedder({ embedContext, vocabulary, info }: NativeModel, outbox: Outbox): Embedder | undefined {
  if (embedContext === undefined) return undefined;
  const tokenizer = createEmbedTokenizer(vocabulary, info.contextLength);
  return createEmbedder({ context: embedContext, tokenizer, outbox, clock: systemClock, numBatch: info.batch });
}

function cannotGenerate({ embedContext }: NativeModel): HearthError {
  if (embedContext === undefined) return loadedForVocabulary('generate');
  return new HearthError('bad_request', 'the model is an embedding model and cannot generate');
}

function loadedForVocabulary(what: string): HearthError {
  return new HearthError('bad_request', `the model was loaded with vocab_only and cannot ${what}`);
}
