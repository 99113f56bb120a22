// The sampling options of a request, in the terms of the sampler.

import type { PenaltySettings } from './penalties.ts';

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
  readonly mirostat: {
    /** 0: off. */
    readonly version: number;
    readonly tau: number;
    readonly eta: number;
  };
}
