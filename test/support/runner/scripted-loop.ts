// A step loop over a scripted model, with the events that it sends.

import type { RunnerEvent, TextPiece, TokenLogprob } from '../../../src/inference/protocol/messages.ts';
import { createOutbox } from '../../../src/inference/runner/events/outbox.ts';
import type { PrefixDisk } from '../../../src/inference/runner/generate/kv-cache/disk/prefix-disk.ts';
import { PrefixCache } from '../../../src/inference/runner/generate/kv-cache/prefix-cache.ts';
import { Slots } from '../../../src/inference/runner/generate/kv-cache/slots.ts';
import { createChoicesAhead } from '../../../src/inference/runner/generate/sampling/ahead/choice-pool.ts';
import { createRepetitionGuard } from '../../../src/inference/runner/generate/sampling/repetition-guard.ts';
import type { Sampler } from '../../../src/inference/runner/generate/sampling/sampler.ts';
import {
  createSequence,
  type Sequence,
  type SequenceInput,
} from '../../../src/inference/runner/generate/sequence/sequence.ts';
import { createPassCosts } from '../../../src/inference/runner/generate/speculation/pass-costs.ts';
import { StepLoop } from '../../../src/inference/runner/generate/step/step-loop.ts';
import { createTokenPieces } from '../../../src/inference/runner/generate/text/answer-pieces.ts';
import { createTextStream } from '../../../src/inference/runner/generate/text/text-stream.ts';
import { createBatch } from '../../../src/inference/runner/llama/batch.ts';
import { canCut } from '../../../src/inference/runner/llama/memory-kind.ts';
import { resolveOptions } from '../../../src/models/options.ts';
import { createFakeClock } from '../fake-clock.ts';
import {
  createScriptedContext,
  createScriptedVocabulary,
  type ScriptedContext,
  type ScriptedContextOptions,
} from './scripted-model.ts';

export interface ScriptedLoopOptions extends ScriptedContextOptions {
  readonly parallel?: number;
  /** Characters that are control tokens. */
  readonly controls?: string;
  readonly contextLength?: number;
  readonly numBatch?: number;
  readonly sharesPrefixes?: boolean;
  readonly prefixCacheBytes?: number;
  readonly disk?: PrefixDisk;
  /** How many passes a request may generate before it yields its slot. */
  readonly slotPasses?: number;
  readonly hasDeviceMemory?: boolean;
  /** What a pass takes after decode has returned. */
  readonly waitMilliseconds?: number;
}

export interface ScriptedRequest extends Partial<SequenceInput> {
  readonly client?: string;
  readonly background?: true;
  readonly wantContext?: boolean;
  readonly wantProgress?: boolean;
  readonly shift?: boolean;
  readonly stop?: readonly string[];
}

export interface ScriptedLoop {
  readonly loop: StepLoop;
  readonly context: ScriptedContext;
  /** All events but text. */
  readonly events: readonly RunnerEvent[];
  add(id: number, prompt: string, request?: ScriptedRequest): Sequence;
  /** Steps until nothing is left to do. */
  run(): void;
  /** The text that a request has received. */
  textOf(id: number): string;
  /** The log probabilities that a request has received. */
  logprobsOf(id: number): readonly TokenLogprob[];
  /** The requests whose sampler and images were freed, in order. */
  readonly freed: readonly number[];
  /** The scales of the adapters in each pass. */
  readonly adapterScales: readonly (readonly number[])[];
}

/** Each pass takes this long. */
export const passNanoseconds = 1_000_000;
const maxSteps = 10_000;

export function createScriptedLoop(options: ScriptedLoopOptions): ScriptedLoop {
  const {
    parallel = 4,
    controls = '',
    contextLength = 1000,
    numBatch = 512,
    sharesPrefixes = true,
    prefixCacheBytes = 10_000,
    slotPasses = Number.POSITIVE_INFINITY,
    hasDeviceMemory = false,
    waitMilliseconds = 0,
    disk,
    onDecode = () => 'done',
  } = options;
  const clock = createFakeClock();
  const adapterScales: (readonly number[])[] = [];
  let scalesInUse: readonly number[] = [];
  const useAdapters = (scales: readonly number[]): void => {
    scalesInUse = scales;
  };
  const context = createScriptedContext({
    ...options,
    onDecode(parts) {
      adapterScales.push(scalesInUse);
      clock.advance(passNanoseconds / 1e6);
      return onDecode(parts);
    },
    onWait: () => clock.advance(waitMilliseconds),
  });
  const events: RunnerEvent[] = [];
  const texts = new Map<number, string>();
  const probabilities = new Map<number, TokenLogprob[]>();
  const freed: number[] = [];
  const outbox = createOutbox(clock, (event) => {
    if (event.type !== 'text') events.push(event);
    else event.pieces.forEach(receive);
  });
  function receive({ id, text, logprobs = [] }: TextPiece): void {
    texts.set(id, (texts.get(id) ?? '') + text);
    probabilities.set(id, [...(probabilities.get(id) ?? []), ...logprobs]);
  }
  const vocabulary = createScriptedVocabulary({ controls });
  const prefixCache = new PrefixCache({ capacityBytes: prefixCacheBytes, cutsAnywhere: canCut(context.memory) });
  const { isControl } = vocabulary;
  const pieceOf = createTokenPieces(vocabulary);
  const slots = new Slots({
    context,
    prefixCache,
    disk,
    count: parallel,
    sharesPrefixes,
    hasDeviceMemory,
    isControl,
  });
  const batch = createBatch(numBatch + parallel);
  const limits = { contextLength, numBatch, slotNanoseconds: slotPasses * passNanoseconds };
  const passCosts = createPassCosts();
  const loop = new StepLoop({
    ...{ context, vocabulary, batch, useAdapters, slots, outbox, clock, passCosts },
    choicesAhead: createChoicesAhead(),
    hasDeviceMemory,
    ...limits,
  });

  return {
    loop,
    context,
    events,
    freed,
    adapterScales,
    textOf: (id) => texts.get(id) ?? '',
    logprobsOf: (id) => probabilities.get(id) ?? [],
    add(
      id,
      prompt,
      { client = 'client', background, wantContext = false, wantProgress, shift = true, stop = [], ...parts } = {},
    ) {
      const base = {
        type: 'generate',
        id,
        client,
        background,
        wantContext,
        wantProgress,
        shift,
        context: [],
        prompt,
      } as const;
      const sequence = createSequence(
        { ...base, options: resolveOptions().sample },
        {
          adapters: { key: '', scales: [] },
          tokens: vocabulary.tokenize(prompt, { addSpecial: true }),
          images: [],
          releaseImages: () => freed.push(id),
          droppedTokens: 0,
          keep: 0,
          budget: 1000,
          sampler: createGreedySampler(context),
          seeded: false,
          pieceOf,
          text: createTextStream(stop),
          guard: createRepetitionGuard(),
          logprobs: undefined,
          drafters: undefined,
          ...parts,
        },
      );
      loop.add(sequence);
      return sequence;
    },
    run() {
      let steps = 0;
      while (loop.step()) if (++steps > maxSteps) throw new Error('the loop does not end');
      outbox.flush();
    },
  };
}

function createGreedySampler(context: ScriptedContext): Sampler {
  let freed = false;
  return {
    observe: () => {},
    prepare: () => undefined,
    sample(row) {
      if (freed) throw new Error('the sampler is used after it was freed');
      const logits = context.logits(row);
      return logits.indexOf(Math.max(...logits));
    },
    free() {
      if (freed) throw new Error('the sampler is freed twice');
      freed = true;
    },
  };
}
