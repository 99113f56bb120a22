// Computes embeddings.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import type { TokenMeter } from '../../../base/request/token-meter.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { type GenerationServices, type ModelInput, notFoundInEmbed, prepareModel } from './prepare-model.ts';

export interface EmbedInput extends ModelInput {
  /** Texts, or the tokens of texts. */
  readonly texts: readonly (string | readonly number[])[];
  /** True: texts that are too long are truncated at the end. False: they are rejected. */
  readonly truncate: boolean;
  /** Where a text is too long, if the context is longer. */
  readonly maxTokens?: number;
}

interface Embedded {
  /** In the order of the texts, not normalized. */
  readonly vectors: readonly Float32Array[];
  /** The sum over all texts. */
  readonly promptTokens: number;
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

export type Embed = (input: Reported<EmbedInput>, signal: AbortSignal) => Promise<Embedded>;

export function createEmbed(services: GenerationServices): Embed {
  const { clock, observer } = services;
  return async (input, signal) => {
    const started = clock.monotonic();
    const notFound = notFoundInEmbed(input.model);
    const model = await prepareModel(services, { ...input, startedAt: started, notFound });
    const { texts, truncate, maxTokens } = input;
    let meter: TokenMeter | undefined;
    try {
      meter = await services.openMeter({
        promptBytes: texts.reduce((sum, text) => sum + bytesOf(text), 0),
        answerTokens: 0,
      });
      await model.load(signal);
      const acquired = clock.monotonic();
      const { vectors, tokens } =
        texts.length === 0 ? { vectors: [], tokens: [] } : await model.embed({ texts, truncate, maxTokens }, signal);
      for (const vector of vectors) checkFinite(vector);
      const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
      meter.count(promptTokens);
      observer.waited(model.name, (acquired - started) / nanosecondsPerSecond);
      input.report.openCount().promptTokens = promptTokens;
      observer.embedded({ model: model.name, texts: texts.length, tokens: promptTokens });
      const until = clock.monotonic();
      currentRequest()?.trace?.work?.add({
        type: 'answer',
        operation: 'embed',
        requested: input.model.text,
        model: model.name,
        from: started,
        until,
        parts: [],
        ...{ promptTokens, cachedTokens: 0, generatedTokens: 0, thinkingTokens: 0 },
      });
      return {
        vectors,
        promptTokens,
        totalNanoseconds: until - started,
        loadNanoseconds: acquired - started,
      };
    } finally {
      meter?.close();
      model.release();
    }
  };
}

const tokenBytes = 3;

function bytesOf(text: string | readonly number[]): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length * tokenBytes;
}

function checkFinite(vector: Float32Array): void {
  if (!vector.every(Number.isFinite)) throw new HearthError('request_failed', 'embedding contains NaN or Inf values');
}

/** Scales to length 1. A zero vector is not changed. */
export function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Keeps the first `dimensions` values and normalizes again; keeps all if there are not that many. */
export function truncateDimensions(vector: Float32Array, dimensions: number | undefined): Float32Array {
  return dimensions !== undefined && dimensions > 0 && dimensions < vector.length
    ? normalize(vector.subarray(0, dimensions))
    : vector;
}
