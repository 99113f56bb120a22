// Orders documents by their relevance to a query: with a reranker, or by comparing embeddings.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { Lease, Ranking } from '../../../inference/engine/ports.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import { acquireModel, type GenerationServices, type PreparedModel, prepareModel } from '../models/prepare-model.ts';
import { normalize } from './embed.ts';

/** `rank`: the scores of a reranker. `cosine`: the similarity of embeddings, which every model has. */
export const rerankMethods = ['rank', 'cosine'] as const;
export type RerankMethod = (typeof rerankMethods)[number];

export const rerankLimits = {
  documents: 4096,
  /** Of the query and all documents. */
  bytes: 32 * 2 ** 20,
} as const;

export interface RerankInput {
  readonly model: RequestedModel;
  readonly query: string;
  readonly documents: readonly string[];
  readonly method: RerankMethod;
  /** Absent: all documents are returned. */
  readonly topN?: number;
  /** False: logits become values from 0 to 1. */
  readonly rawScores: boolean;
  /** True: texts that are too long are truncated at the end. False: they are rejected. */
  readonly truncate: boolean;
  /** What a reranker judges by, if its prompt has a place for it. */
  readonly instruction?: string;
  /** Longer texts are truncated at the end; for a reranker. */
  readonly maxQueryTokens?: number;
  readonly maxDocumentTokens?: number;
  readonly options: ParsedOptions;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export interface RankedDocument {
  /** Its place in the request. */
  readonly index: number;
  readonly score: number;
}

export interface Reranked {
  /** The best first. */
  readonly results: readonly RankedDocument[];
  /** The sum over all documents. */
  readonly promptTokens: number;
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

export type Rerank = (input: Reported<RerankInput>, signal: AbortSignal) => Promise<Reranked>;

export function createRerank(services: GenerationServices): Rerank {
  const { clock, observer } = services;
  return async (input, signal) => {
    const started = clock.monotonic();
    checkLimits(input);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'rerank' });
    checkMethod(input, prepared);
    const { lease, acquired, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      const { scores, tokens } = await score(lease, input, signal);
      const model = prepared.model.displayName;
      const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
      observer.waited(model, (acquired - started) / nanosecondsPerSecond);
      input.report.openCount().promptTokens = promptTokens;
      observer.ranked({ model, documents: scores.length, tokens: promptTokens });
      return {
        results: bestFirst(scores.map(toScale(input, prepared))).slice(0, input.topN),
        promptTokens,
        totalNanoseconds: clock.monotonic() - started,
        loadNanoseconds: acquired - started,
      };
    } finally {
      release();
    }
  };
}

function checkLimits({ query, documents }: RerankInput): void {
  if (documents.length > rerankLimits.documents) {
    const message = `the request has ${documents.length} documents, and the limit is ${rerankLimits.documents}`;
    throw new HearthError('bad_request', message);
  }
  const bytes = [query, ...documents].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= rerankLimits.bytes) return;
  throw new HearthError(
    'bad_request',
    `query and documents have ${bytes} bytes, and the limit is ${rerankLimits.bytes}`,
  );
}

/** Another method is never chosen for the caller: its scores have another meaning. */
function checkMethod({ model, method }: RerankInput, { facts }: PreparedModel): void {
  if (method === 'cosine' || facts.rankScores !== undefined) return;
  const message = `"${model.text}" does not support rerank; use a reranker, or the method "cosine", which compares embeddings`;
  throw new HearthError('unsupported', message);
}

async function score(lease: Lease, input: RerankInput, signal: AbortSignal): Promise<Ranking> {
  const { query, documents, truncate, instruction, maxQueryTokens, maxDocumentTokens } = input;
  if (input.method === 'cosine') return compare(lease, input, signal);
  const limits = {
    ...(maxQueryTokens === undefined ? {} : { maxQueryTokens }),
    ...(maxDocumentTokens === undefined ? {} : { maxDocumentTokens }),
  };
  const ranking = await lease.rank(
    { query, documents, truncate, ...(instruction === undefined ? {} : { instruction }), ...limits },
    signal,
  );
  if (!ranking.scores.every(Number.isFinite)) throw new HearthError('request_failed', 'a score is NaN or infinite');
  return ranking;
}

async function compare(lease: Lease, input: RerankInput, signal: AbortSignal): Promise<Ranking> {
  const { query, documents, truncate } = input;
  const { vectors, tokens } = await lease.embed({ texts: [query, ...documents], truncate }, signal);
  const [first = new Float32Array(), ...others] = vectors.map(normalize);
  const scores = others.map((vector) => cosine(first, vector));
  if (!scores.every(Number.isFinite)) throw new HearthError('request_failed', 'embedding contains NaN or Inf values');
  return { scores, tokens };
}

/** Of vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return Math.max(-1, Math.min(1, product));
}

function toScale({ method, rawScores }: RerankInput, { facts }: PreparedModel): (score: number) => number {
  const isLogit = method === 'rank' && facts.rankScores === 'logits';
  return isLogit && !rawScores ? (score) => 1 / (1 + Math.exp(-score)) : (score) => score;
}

function bestFirst(scores: readonly number[]): RankedDocument[] {
  const ranked = scores.map((value, index) => ({ index, score: value }));
  return ranked.sort((a, b) => b.score - a.score || a.index - b.index);
}
