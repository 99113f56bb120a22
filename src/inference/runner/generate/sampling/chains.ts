// The native samplers of a request, in two chains: those before and those after tail-free sampling.

import { randomInt } from 'node:crypto';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { maxTopScan } from '../../scan/top-scan.ts';
import type { DrySettings } from './dry.ts';
import type { PenaltySettings } from './penalties.ts';

/** The sampling options of a request, in the terms of the sampler. */
export interface SamplerSettings {
  readonly penalties: PenaltySettings;
  /** -1: random. */
  readonly seed: number;
  /** 0: always the likeliest token. */
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly tfsZ: number;
  readonly typicalP: number;
  readonly dry: DrySettings;
  readonly xtc: {
    /** 0: off. */
    readonly probability: number;
    readonly threshold: number;
  };
  /** 0 or negative: off. */
  readonly topNSigma: number;
  /** The answer fills a gap in a text. */
  readonly fillsGap?: boolean | undefined;
  readonly dynamicTemperature: {
    /** 0: off. */
    readonly range: number;
    readonly exponent: number;
  };
  readonly mirostat: {
    /** 0: off. */
    readonly version: number;
    readonly tau: number;
    readonly eta: number;
  };
}

interface SamplerChains {
  /** Only with tail-free sampling. Without it, all samplers are in the second chain. */
  readonly head: SamplerPointer | undefined;
  readonly tail: SamplerPointer;
}

// Number of candidates in Mirostat's estimate, as in its paper.
const mirostatCandidates = 100;
const minKeep = 1;
export const randomSeed = -1;
// llama.cpp chooses a random seed for this one.
const reservedSeed = 0xffff_ffff;

export function createChains(
  api: LlamaApi,
  { pointer, size }: Pick<Vocabulary, 'pointer' | 'size'>,
  settings: SamplerSettings,
): SamplerChains {
  const chain = (...samplers: SamplerPointer[]): SamplerPointer => {
    const pointer = api.samplerChain();
    for (const sampler of samplers) api.samplerChainAdd(pointer, sampler);
    return pointer;
  };
  const seed = toSeed(settings.seed);
  if (isGreedy(settings)) return { head: undefined, tail: chain(api.samplerGreedy()) };

  const { range, exponent } = settings.dynamicTemperature;
  const temperature =
    range > 0
      ? api.samplerDynamicTemperature(settings.temperature, range, exponent)
      : api.samplerTemperature(settings.temperature);
  const { version, tau, eta } = settings.mirostat;
  if (version !== 0) {
    const mirostat =
      version === 1
        ? api.samplerMirostat(size, seed, tau, eta, mirostatCandidates)
        : api.samplerMirostat2(seed, tau, eta);
    return { head: undefined, tail: chain(temperature, mirostat) };
  }

  const { probability, threshold } = settings.xtc;
  const first = [
    ...(usesTopNSigma(settings) ? [api.samplerTopNSigma(settings.topNSigma)] : []),
    api.samplerTopK(settings.topK),
  ];
  const rest = [
    api.samplerTypical(settings.typicalP, minKeep),
    api.samplerTopP(settings.topP, minKeep),
    api.samplerMinP(settings.minP, minKeep),
    ...(probability > 0 ? [api.samplerXtc(probability, threshold, minKeep, seed)] : []),
    temperature,
    ...(settings.fillsGap ? [api.samplerInfill(pointer)] : []),
    api.samplerDistribution(seed),
  ];
  return usesTailFree(settings)
    ? { head: chain(...first), tail: chain(...rest) }
    : { head: undefined, tail: chain(...first, ...rest) };
}

export function usesTailFree(settings: SamplerSettings): boolean {
  return settings.tfsZ < 1 && !isGreedy(settings) && settings.mirostat.version === 0;
}

/** How many of the likeliest tokens decide the choice; undefined if all may. */
export function decisiveTokens(settings: SamplerSettings): number | undefined {
  const { topK, mirostat } = settings;
  if (isGreedy(settings)) return 1;
  // The deviation of the logits is that of all tokens.
  if (mirostat.version !== 0 || usesTopNSigma(settings)) return undefined;
  return topK > 0 && topK <= maxTopScan ? topK : undefined;
}

function usesTopNSigma({ topNSigma }: SamplerSettings): boolean {
  return topNSigma > 0;
}

function isGreedy({ temperature }: SamplerSettings): boolean {
  return temperature <= 0;
}

function toSeed(seed: number): number {
  if (seed === randomSeed) return randomInt(0, reservedSeed);
  const unsigned = seed >>> 0;
  return unsigned === reservedSeed ? reservedSeed - 1 : unsigned;
}
