// Chooses the next token of one request. Models and their settings were tuned with this order of
// stages: penalties, DRY, grammar, top_n_sigma, top_k, tfs_z, typical_p, top_p, min_p, XTC, temperature, then the random
// choice.

import { HearthError } from '../../../../base/errors.ts';
import type { GenerationInput } from '../../../protocol/messages.ts';
import type { ChoiceJob } from './ahead/choice-pool.ts';
import type { SamplerSettings } from './chains.ts';
import { Choices, type SamplerSources } from './choices.ts';
import { Constraint, type ConstraintInput } from './constraint.ts';
import { createDry } from './dry.ts';
import { createPenalties } from './penalties.ts';

export interface Sampler {
  /** Counts a token of the prompt, or one that was forced, for the penalties. */
  observe(token: number): void;
  /** Applies penalties and biases to the logits in `row` before `sample` does. Returns what can be chosen ahead. */
  prepare(row: number): ChoiceJob | undefined;
  /**
   * Chooses a token by the logits in `row` of the last decode, and counts it for the penalties. Undefined: no token, because
   * the thinking has forced text.
   */
  sample(row: number): number | undefined;
  free(): void;
}

/** Constraints on the next token that are not options. */
export interface SamplerConstraints extends ConstraintInput, Pick<GenerationInput, 'logitBias'> {
  /** The number of chosen tokens before which the model cannot end the answer, unless a grammar decides that. */
  readonly minTokens?: number;
}

export function createSampler(
  sources: SamplerSources,
  settings: SamplerSettings,
  constraints: SamplerConstraints = {},
): Sampler {
  const { context, vocabulary } = sources;
  const penalties = createPenalties(settings.penalties, sources);
  const dry = createDry(settings.dry, sources);
  const { minTokens = 0 } = constraints;
  let chosen = 0;
  const bias = checkBias(constraints.logitBias ?? [], vocabulary.size);
  const choices = new Choices(sources, settings);
  const constraint = new Constraint(sources, choices, constraints);
  let prepared: number | undefined;

  const adjust = (row: number): Float32Array => {
    const logits = context.logits(row);
    penalties.apply(logits);
    dry.apply(logits);
    for (const [token, value] of bias) logits[token] = (logits[token] as number) + value;
    if (chosen < minTokens && constraint.mask === undefined)
      for (const token of vocabulary.endTokens()) logits[token] = Number.NEGATIVE_INFINITY;
    return logits;
  };

  const observe = (token: number): void => {
    penalties.accept(token);
    dry.accept(token);
  };

  return {
    observe,
    prepare(row) {
      prepared = row;
      return choices.jobOf(adjust(row), constraint.mask);
    },
    sample(row) {
      if (prepared !== row) adjust(row);
      prepared = undefined;
      const token = constraint.choose(row);
      chosen++;
      if (token !== undefined) observe(token);
      return token;
    },
    free() {
      constraint.free();
      choices.free();
    },
  };
}

// A number outside the vocabulary would be ignored silently.
function checkBias<Bias extends readonly (readonly [number, number])[]>(bias: Bias, vocabularySize: number): Bias {
  const invalid = bias.find(([token]) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
  if (invalid !== undefined)
    throw new HearthError('bad_request', `logit_bias: ${invalid[0]} is not a token of this model`);
  return bias;
}
