// Orders documents by their relevance to a query: with a reranker, or by comparing embeddings. Classifies texts.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { TokenMeter } from '../../../base/request/token-meter.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { Model } from '../../../inference/model/model.ts';
import type { Ranking } from '../../../inference/model/vectors.ts';
import { normalize } from './embed.ts';
import { type GenerationServices, type ModelInput, prepareModel } from './prepare-model.ts';

/** `rank`: the scores of a reranker. `cosine`: the similarity of embeddings, which every model has. */
export const rerankMethods = ['rank', 'cosine'] as const;
export type RerankMethod = (typeof rerankMethods)[number];

export const rerankLimits = {
  documents: 4096,
  /** The limit for the query and all documents together. */
  bytes: 32 * 2 ** 20,
} as const;

export interface RerankInput extends ModelInput {
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
}

interface RankedDocument {
  /** The document's place in the request. */
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
  return async (input, signal) => {
    const work = {
      check: (model: Model) => checkMethod(input, model),
      score: (model: Model) => score(model, input, signal),
    };
    const { model, ranking, ...counts } = await measure(services, { ...input, ...work }, signal);
    return { results: bestFirst(ranking.scores.map(toScale(input, model))).slice(0, input.topN), ...counts };
  };
}

interface ClassifyInput extends ModelInput {
  readonly texts: readonly string[];
  /** False: the outputs of the model, without softmax or sigmoid. */
  readonly useActivation: boolean;
  /** As in `RerankInput`. */
  readonly truncate: boolean;
}

interface Classified {
  /** In the order of the texts. */
  readonly results: readonly { readonly label: string; readonly probabilities: readonly number[] }[];
  readonly promptTokens: number;
}

export type Classify = (input: Reported<ClassifyInput>, signal: AbortSignal) => Promise<Classified>;

export function createClassify(services: GenerationServices): Classify {
  return async ({ texts, useActivation, ...input }, signal) => {
    const work = {
      check: (model: Model) => checkClassifier(input, model),
      score: (model: Model) => classify(model, { documents: texts, truncate: input.truncate }, signal),
    };
    const { model, ranking, promptTokens } = await measure(services, { ...input, documents: texts, ...work }, signal);
    const results = (ranking.outputs ?? []).map((outputs) => {
      const best = outputs.indexOf(Math.max(...outputs));
      // The name that transformers gives to one without a name.
      const label = model.labels?.[best] ?? `LABEL_${best}`;
      return { label, probabilities: useActivation ? activate([...outputs]) : [...outputs] };
    });
    return { results, promptTokens };
  };
}

/** Softmax, or sigmoid for a single output. */
function activate(outputs: readonly number[]): number[] {
  const [first = 0] = outputs;
  if (outputs.length === 1) return [sigmoid(first)];
  const largest = Math.max(...outputs);
  const powers = outputs.map((output) => Math.exp(output - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

interface MeasuredInput extends ModelInput {
  readonly query?: string;
  readonly documents: readonly string[];
  readonly method?: RerankMethod;
  /** Throws if the model cannot do it. */
  readonly check: (model: Model) => void;
  readonly score: (model: Model) => Promise<Ranking>;
}

async function measure(services: GenerationServices, input: Reported<MeasuredInput>, signal: AbortSignal) {
  const { clock, observer } = services;
  const started = clock.monotonic();
  checkLimits(input);
  const model = await prepareModel(services, { ...input, startedAt: started });
  let meter: TokenMeter | undefined;
  try {
    input.check(model);
    meter = await services.openMeter({ promptBytes: bytesOf(input), answerTokens: 0 });
    await model.load(signal);
    const acquired = clock.monotonic();
    const ranking = await input.score(model);
    const promptTokens = ranking.tokens.reduce((sum, count) => sum + count, 0);
    meter.count(promptTokens);
    observer.waited(model.name, (acquired - started) / nanosecondsPerSecond);
    input.report.openCount().promptTokens = promptTokens;
    observer.ranked({ model: model.name, documents: ranking.scores.length, tokens: promptTokens });
    const times = { totalNanoseconds: clock.monotonic() - started, loadNanoseconds: acquired - started };
    return { model, ranking, promptTokens, ...times };
  } finally {
    meter?.close();
    model.release();
  }
}

function checkLimits({ query = '', documents }: Pick<MeasuredInput, 'query' | 'documents'>): void {
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

/** A reranker reads the query with each document. */
function bytesOf({ query = '', documents, method }: Omit<MeasuredInput, 'check' | 'score'>): number {
  const queries = method === 'cosine' ? 1 : documents.length;
  return Buffer.byteLength(query) * queries + documents.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Another method is never chosen for the caller: its scores have another meaning. */
function checkMethod({ model, method }: RerankInput, { rankScores }: Model): void {
  if (method === 'cosine' || rankScores !== undefined) return;
  const message = `"${model.text}" does not support rerank; use a reranker, or the method "cosine", which compares embeddings`;
  throw new HearthError('unsupported', message);
}

/** A decoder is asked about a query. */
function checkClassifier({ model }: ModelInput, { rankScores }: Model): void {
  if (rankScores !== 'logits') throw new HearthError('unsupported', `"${model.text}" does not support classify`);
}

async function classify(
  model: Model,
  { documents, truncate }: Pick<RerankInput, 'documents' | 'truncate'>,
  signal: AbortSignal,
): Promise<Ranking> {
  const ranking = await model.rank({ documents, truncate }, signal);
  const areFinite = ranking.outputs?.every((outputs) => outputs.every(Number.isFinite));
  if (areFinite !== true) throw new HearthError('request_failed', 'an output of the classifier is NaN or infinite');
  return ranking;
}

async function score(model: Model, input: RerankInput, signal: AbortSignal): Promise<Ranking> {
  const { query, documents, truncate, instruction, maxQueryTokens, maxDocumentTokens } = input;
  if (input.method === 'cosine') return compare(model, input, signal);
  const request = { query, documents, truncate, instruction, maxQueryTokens, maxDocumentTokens };
  const ranking = await model.rank(request, signal);
  if (!ranking.scores.every(Number.isFinite)) throw new HearthError('request_failed', 'a score is NaN or infinite');
  return ranking;
}

async function compare(model: Model, input: RerankInput, signal: AbortSignal): Promise<Ranking> {
  const { query, documents, truncate } = input;
  const { vectors, tokens } = await model.embed({ texts: [query, ...documents], truncate }, signal);
  const [first = new Float32Array(), ...others] = vectors.map(normalize);
  const scores = others.map((vector) => cosine(first, vector));
  if (!scores.every(Number.isFinite)) throw new HearthError('request_failed', 'embedding contains NaN or Inf values');
  return { scores, tokens };
}

/** Expects vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return Math.max(-1, Math.min(1, product));
}

function toScale({ method, rawScores }: RerankInput, { rankScores }: Model): (score: number) => number {
  const isLogit = method === 'rank' && rankScores === 'logits';
  return isLogit && !rawScores ? sigmoid : (score) => score;
}

function bestFirst(scores: readonly number[]): RankedDocument[] {
  const ranked = scores.map((value, index) => ({ index, score: value }));
  return ranked.sort((a, b) => b.score - a.score || a.index - b.index);
}
