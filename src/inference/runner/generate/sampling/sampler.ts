// Chooses the next token of one request. The order of the stages is the one that models and their settings were
// tuned with: penalties, grammar, top_k, tfs_z, typical_p, top_p, min_p, temperature, then the dice.

import { randomInt } from 'node:crypto';
import { HearthError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { GenerationInput } from '../../../protocol/messages.ts';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { Candidates } from './candidates.ts';
import { createPenalties, type PenaltySettings } from './penalties.ts';
import { tailFreeLength } from './tail-free.ts';

export interface Sampler {
  /** Counts a token of the prompt for the penalties. */
  observe(token: number): void;
  /** Chooses a token by the logits in `row` of the last decode, and takes note of it. */
  sample(row: number): number;
  free(): void;
}

export interface SamplerSettings {
  readonly penalties: PenaltySettings;
  /** -1: a random one. */
  readonly seed: number;
  /** 0: always the likeliest token. */
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly tfsZ: number;
  readonly typicalP: number;
  readonly mirostat: {
    /** 0: off. */
    readonly version: number;
    readonly tau: number;
    readonly eta: number;
  };
}

/** What else decides which token is next, beside the options. */
export type SamplerConstraints = Pick<GenerationInput, 'grammar' | 'logitBias'>;

export interface SamplerSources {
  readonly api: LlamaApi;
  readonly context: EngineContext;
  readonly vocabulary: Vocabulary;
  /** Scratch memory, shared by all samplers: none of them is interrupted. */
  readonly candidates: Candidates;
  readonly contextLength: number;
  readonly clock: Clock;
}

// Mirostat's estimate looks at this many candidates; the number is its paper's.
const mirostatCandidates = 100;
const keepAtLeast = 1;
// Nanoseconds; a grammar is asked about a whole vocabulary in a tenth of it.
const maxChoice = 1e9;
const randomSeed = -1;
// llama.cpp takes this seed for "draw one".
const reservedSeed = 0xffff_ffff;

export function createSampler(
  sources: SamplerSources,
  settings: SamplerSettings,
  { grammar: grammarText, logitBias = [] }: SamplerConstraints = {},
): Sampler {
  const { api, context, vocabulary, candidates, clock } = sources;
  const penalties = createPenalties(settings.penalties, sources);
  const bias = checkBias(logitBias, vocabulary.size);
  const grammar = grammarText === undefined ? undefined : createGrammar(api, vocabulary, grammarText);
  const tailFree = usesTailFree(settings);
  const [head, tail] = createChains(api, vocabulary, settings);

  /** Through the stages one by one, with a mask over the vocabulary in front if there is one. */
  const chooseStaged = (row: number, mask?: SamplerPointer): number => {
    candidates.fill(context.logits(row));
    if (mask !== undefined) candidates.applyInParts(mask, createPace(clock));
    if (head !== undefined) candidates.apply(head);
    if (tailFree) candidates.cut((logits) => tailFreeLength(logits, settings.tfsZ));
    candidates.apply(tail);
    const token = candidates.selected();
    if (token === undefined) throw new HearthError('request_failed', 'no token is left to continue with');
    return token;
  };

  const chooseFreely = (row: number): number =>
    tailFree ? chooseStaged(row) : api.samplerSample(tail, context.pointer, row);

  // Asking the grammar about every token of the vocabulary is slow, and mostly the first choice is one that it
  // allows: choose first, ask about that one, and only when it is refused ask about all.
  const chooseByGrammar = (row: number, mask: SamplerPointer): number => {
    const checkPace = createPace(clock);
    const first = chooseFreely(row);
    candidates.fillOne(first);
    candidates.apply(mask);
    const token = candidates.firstPossible() ? first : chooseStaged(row, mask);
    api.samplerAccept(mask, token);
    checkPace();
    return token;
  };

  return {
    observe: penalties.accept,
    sample(row) {
      const logits = context.logits(row);
      penalties.apply(logits);
      for (const [token, value] of bias) logits[token] = (logits[token] as number) + value;
      const token = grammar === undefined ? chooseFreely(row) : chooseByGrammar(row, grammar);
      penalties.accept(token);
      return token;
    },
    free() {
      for (const sampler of [grammar, head, tail]) if (sampler !== undefined) api.samplerFree(sampler);
    },
  };
}

// A number outside the vocabulary would be written into memory that is none of ours.
function checkBias<Bias extends readonly (readonly [number, number])[]>(bias: Bias, vocabularySize: number): Bias {
  const stranger = bias.find(([token]) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
  if (stranger !== undefined)
    throw new HearthError('bad_request', `logit_bias: ${stranger[0]} is not a token of this model`);
  return bias;
}

// Grammars are checked before they come here, but how many readings of a long answer there are depends on the answer.
// While one token is chosen, everybody else waits.
function createPace(clock: Clock): () => void {
  const begun = clock.monotonic();
  return () => {
    if (clock.monotonic() - begun > maxChoice)
      throw new HearthError('request_failed', 'the grammar takes too long to follow');
  };
}

function usesTailFree({ tfsZ, temperature, mirostat }: SamplerSettings): boolean {
  return tfsZ < 1 && temperature > 0 && mirostat.version === 0;
}

function createGrammar(api: LlamaApi, vocabulary: Vocabulary, text: string): SamplerPointer {
  const grammar = api.samplerGrammar(vocabulary.pointer, text, 'root');
  if (grammar === null) throw new HearthError('bad_request', 'the grammar cannot be read');
  return grammar;
}

/** What comes before tail-free sampling, where that is used, and what comes after; else everything after. */
function createChains(
  api: LlamaApi,
  vocabulary: Vocabulary,
  settings: SamplerSettings,
): [SamplerPointer | undefined, SamplerPointer] {
  const chain = (...samplers: SamplerPointer[]): SamplerPointer => {
    const pointer = api.samplerChain();
    for (const sampler of samplers) api.samplerChainAdd(pointer, sampler);
    return pointer;
  };
  const seed = toSeed(settings.seed);
  if (settings.temperature <= 0) return [undefined, chain(api.samplerGreedy())];

  const temperature = api.samplerTemperature(settings.temperature);
  const { version, tau, eta } = settings.mirostat;
  if (version === 1)
    return [undefined, chain(temperature, api.samplerMirostat(vocabulary.size, seed, tau, eta, mirostatCandidates))];
  if (version === 2) return [undefined, chain(temperature, api.samplerMirostat2(seed, tau, eta))];

  const topK = api.samplerTopK(settings.topK);
  const rest = [
    api.samplerTypical(settings.typicalP, keepAtLeast),
    api.samplerTopP(settings.topP, keepAtLeast),
    api.samplerMinP(settings.minP, keepAtLeast),
    temperature,
    api.samplerDistribution(seed),
  ];
  return usesTailFree(settings) ? [chain(topK), chain(...rest)] : [undefined, chain(topK, ...rest)];
}

function toSeed(seed: number): number {
  if (seed === randomSeed) return randomInt(0, reservedSeed);
  const unsigned = seed >>> 0;
  return unsigned === reservedSeed ? reservedSeed - 1 : unsigned;
}
