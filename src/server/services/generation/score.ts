// How likely continuations of one context are. Each continuation is a prompt of its own that ends with it. The runner evaluates
// the context once: the others wait for the first one, or find it in the prefix cache.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { Model } from '../../../inference/model/model.ts';
import type { Generate } from './generate.ts';
import { type GenerationServices, type ModelInput, prepareModel } from './prepare-model.ts';

export type ScoredText = string | readonly number[];

interface ScoreInput extends ModelInput {
  readonly context: ScoredText;
  readonly continuations: readonly ScoredText[];
}

interface ContinuationScore {
  /** The sum over its tokens, each given those before it. */
  readonly logLikelihood: number;
  readonly tokens: number;
  /** Whether each token is the likeliest one. */
  readonly isGreedy: boolean;
}

interface Scored {
  readonly scores: readonly ContinuationScore[];
  /** Tokens of all prompts, and those of them that were not evaluated again. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly totalNanoseconds: number;
  readonly loadNanoseconds: number;
}

export type Score = (input: Reported<ScoreInput>, signal: AbortSignal) => Promise<Scored>;

const scoreLimits = {
  continuations: 256,
  /** Characters, or tokens, of all prompts. The runner tokenizes them. */
  characters: 2 ** 21,
} as const;
// Prompts at a time. Each waits in the queue of the model.
const maxAtOnce = 8;

interface Prompt {
  readonly tokens: readonly number[];
  /** The first token of the continuation. */
  readonly from: number;
}

export function createScore(services: GenerationServices & { readonly generate: Generate }): Score {
  const { clock, generate } = services;
  return async (input, signal) => {
    checkLimits(input);
    const startedAt = clock.monotonic();
    const model = await prepareModel(services, { ...input, startedAt });
    try {
      await model.load(signal, 'generate');
      const loadNanoseconds = clock.monotonic() - startedAt;
      const prompts = await tokenizePrompts(model, input, signal);
      const results = new Array<Awaited<ReturnType<typeof scorePrompt>>>(prompts.length);
      const queue = prompts.entries();
      const work = async (): Promise<void> => {
        for (const [index, prompt] of queue) results[index] = await scorePrompt(generate, { ...input, prompt }, signal);
      };
      await Promise.all(Array.from({ length: maxAtOnce }, work));
      const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
      return {
        scores: results.map(({ score }) => score),
        promptTokens: sum(results.map(({ promptTokens }) => promptTokens)),
        cachedTokens: sum(results.map(({ cachedTokens }) => cachedTokens)),
        totalNanoseconds: clock.monotonic() - startedAt,
        loadNanoseconds,
      };
    } finally {
      model.release();
    }
  };
}

function checkLimits({ context, continuations }: ScoreInput): void {
  if (continuations.length === 0) throw new HearthError('bad_request', 'continuations is required, with at least one');
  if (continuations.length > scoreLimits.continuations)
    throw new HearthError('bad_request', `more than ${scoreLimits.continuations} continuations in one request`);
  const size = continuations.reduce((sum, { length }) => sum + context.length + length, 0);
  if (size > scoreLimits.characters)
    throw new HearthError('bad_request', `the prompts have more than ${scoreLimits.characters} characters in total`);
}

async function tokenizePrompts(model: Model, { context, continuations }: ScoreInput, signal: AbortSignal) {
  const toTokens = (text: ScoredText, addSpecial: boolean): Promise<readonly number[]> | readonly number[] =>
    typeof text === 'string' ? model.tokenize(text, { addSpecial }, signal) : text;
  const start = await toTokens(context, true);
  const prompts: Prompt[] = [];
  // One after the other: requests of others come in between.
  for (const continuation of continuations) {
    const isText = typeof context === 'string' && typeof continuation === 'string';
    const joined = isText ? await toTokens(context + continuation, true) : [];
    const from = commonLength(start, joined);
    // Without a common token, nothing would precede the continuation.
    if (from > 0) prompts.push({ tokens: joined, from });
    else prompts.push({ tokens: [...start, ...(await toTokens(continuation, false))], from: start.length });
  }
  for (const [index, { tokens, from }] of prompts.entries()) checkPrompt(tokens, from, index);
  return prompts;
}

/** The last token of the context may become one with the first of the continuation. */
function commonLength(context: readonly number[], tokens: readonly number[]): number {
  const length = context.findIndex((token, index) => token !== tokens[index]);
  return length === -1 ? context.length : length;
}

function checkPrompt(tokens: readonly number[], from: number, index: number): void {
  if (tokens.length <= from) throw new HearthError('bad_request', `continuations[${index}] has no tokens`);
  if (from > 0) return;
  const message = 'the context has no tokens, and the model has none that begins a text; give a context';
  throw new HearthError('bad_request', message);
}

async function scorePrompt(
  generate: Generate,
  { prompt: { tokens, from }, ...input }: Reported<ScoreInput> & { readonly prompt: Prompt },
  signal: AbortSignal,
) {
  const { model, options, keepAlive, report } = input;
  const completion = { prompt: '', suffix: '', system: '', context: [], raw: true, encodedImages: [] };
  const asked = { promptTokens: tokens, promptLogprobs: { top: 0, from }, promptOnly: true, truncate: false };
  let logLikelihood = 0;
  let isGreedy = true;
  let counts = { promptTokens: 0, cachedTokens: 0 };
  const events = generate({ model, options, keepAlive, report, ...completion, ...asked }, signal);
  for await (const event of events) {
    if (event.type === 'prompt-tokens')
      for (const { logprob = 0, rank } of event.tokens) {
        logLikelihood += logprob;
        isGreedy &&= rank === 1;
      }
    if (event.type === 'done') counts = event;
  }
  return { score: { logLikelihood, tokens: tokens.length - from, isGreedy }, ...counts };
}
