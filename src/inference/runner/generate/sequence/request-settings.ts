// The sampling options in the terms of the runner. A new sampling option does not compile until it is read here.

import type { SampleOptions } from '../../../../models/options.ts';
import { assertNoneLeft } from '../../load/load-settings.ts';
import type { SamplerSettings } from '../sampling/chains.ts';

export interface RequestSettings {
  /** Tokens at the start of the prompt that a context shift keeps. Negative: the entire prompt. */
  readonly numKeep: number;
  /** 0 or negative: no limit of its own. */
  readonly maxTokens: number;
  /** The answer does not end before it has this many tokens, except at a limit. */
  readonly minTokens: number;
  /** Whether the model may end the answer. */
  readonly mayEnd: boolean;
  readonly stopSequences: readonly string[];
  /** In the text form; undefined: all. */
  readonly adapters: readonly string[] | undefined;
  readonly speculates: boolean;
  /** Tokens per draft of a draft model; undefined: as many as pay. */
  readonly draftLength: number | undefined;
  readonly sampler: SamplerSettings;
}

export function toRequestSettings(options: SampleOptions): RequestSettings {
  const { numKeep, numPredict, stop, seed, temperature, topK, topP, minP, tfsZ, typicalP, ...others } = options;
  const { repeatLastN, repeatPenalty, presencePenalty, frequencyPenalty, penalizeNewline, ...remaining } = others;
  const { mirostat, mirostatTau, mirostatEta, adapters, speculate, draftNumPredict, ...samplers } = remaining;
  const { dryMultiplier, dryBase, dryAllowedLength, dryPenaltyLastN, drySequenceBreakers, ...further } = samplers;
  const { xtcProbability, xtcThreshold, topNSigma, dynatempRange, dynatempExponent, ...ending } = further;
  const { ignoreEos, minTokens, ...rest } = ending;
  assertNoneLeft(rest);
  return {
    numKeep,
    maxTokens: numPredict,
    minTokens,
    mayEnd: !ignoreEos,
    stopSequences: stop,
    adapters,
    speculates: speculate,
    draftLength: draftNumPredict < 0 ? undefined : draftNumPredict,
    sampler: {
      penalties: { repeatLastN, repeatPenalty, presencePenalty, frequencyPenalty, penalizeNewline },
      seed,
      temperature,
      topK,
      topP,
      minP,
      tfsZ,
      typicalP,
      dry: {
        multiplier: dryMultiplier,
        base: dryBase,
        allowedLength: dryAllowedLength,
        window: dryPenaltyLastN,
        breakers: drySequenceBreakers,
      },
      xtc: { probability: xtcProbability, threshold: xtcThreshold },
      topNSigma,
      dynamicTemperature: { range: dynatempRange, exponent: dynatempExponent },
      mirostat: { version: mirostat, tau: mirostatTau, eta: mirostatEta },
    },
  };
}
