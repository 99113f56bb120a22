// Turns texts into vectors.

import { HearthError } from '../../../base/errors.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { acquireModel, type GenerationServices, prepareModel } from '../models/prepare-model.ts';

export interface EmbedInput {
  readonly model: string;
  /** A text, or the tokens of one. */
  readonly texts: readonly (string | readonly number[])[];
  /** Whether texts that are too long lose their end; otherwise they are refused. */
  readonly truncate: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export interface Embedded {
  /** As the model gives them, in the order of the texts. */
  readonly vectors: readonly Float32Array[];
  /** Of all texts together. */
  readonly promptTokens: number;
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

export type Embed = (input: EmbedInput, signal: AbortSignal) => Promise<Embedded>;

export function createEmbed(services: GenerationServices): Embed {
  const { clock, observer } = services;
  return async (input, signal) => {
    const begun = clock.monotonic();
    const prepared = await prepareModel(services, { ...input, template: '', task: 'embed' });
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      const { texts, truncate } = input;
      const { vectors, tokens } =
        texts.length === 0 ? { vectors: [], tokens: [] } : await lease.embed({ texts, truncate }, signal);
      for (const vector of vectors) checkFinite(vector);
      const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
      observer.waited(prepared.model.displayName, (acquired - begun) / nanosecondsPerSecond);
      observer.embedded({ model: prepared.model.displayName, texts: texts.length, tokens: promptTokens });
      return {
        vectors,
        promptTokens,
        totalNanoseconds: clock.monotonic() - begun,
        loadNanoseconds: acquired - begun,
      };
    } finally {
      release();
    }
  };
}

function checkFinite(vector: Float32Array): void {
  if (!vector.every(Number.isFinite)) throw new HearthError('request_failed', 'embedding contains NaN or Inf values');
}

/** To length one; a vector of zeros stays what it is. */
export function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The first so many numbers; none or too many asked for: all. */
export function cutDimensions(vector: Float32Array, dimensions: number | undefined): Float32Array {
  return dimensions !== undefined && dimensions > 0 && dimensions < vector.length
    ? normalize(vector.subarray(0, dimensions))
    : vector;
}
