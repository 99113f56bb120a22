// What Hearth does with a tiny model, compared with the engine alone. Each check is a column of a table.

import { statSync } from 'node:fs';
import { expect } from 'vitest';
import { messageOf } from '../../../src/base/errors.ts';
import { contextBytes } from '../../../src/inference/engine/planning/estimate-memory.ts';
import type { Engine, Lease } from '../../../src/inference/engine/ports.ts';
import { createModelFactsReader } from '../../../src/inference/local/files/model-facts.ts';
import type { LocalModelSource } from '../../../src/inference/model/model-source.ts';
import { type OptionValues, resolveOptions } from '../../../src/models/options.ts';
import { type ComparedAnswer, expectSameLikeliest, expectSameUnquantized } from '../compare-answers.ts';
import { type Answer, answerOf, never, requestOf } from '../engine.ts';
import type { BareModel } from './bare-engine.ts';

/** `yes`, why not, or that it does not apply. */
export type Cells = Map<string, string>;

export interface Subject {
  readonly engine: Engine;
  readonly name: string;
  readonly path: string;
  /** After the model was loaded by Hearth: what aborts the engine would end this process. */
  readonly bare: () => BareModel;
  /** Tokens that no answer has. */
  readonly excluded: readonly number[];
  /** Answers may differ as much as those of quantized weights. */
  readonly rounds: boolean;
}

const numCtx = 128;
const parallel = 2;
const greedy = { temperature: 0, repeatPenalty: 1, numPredict: 12 } satisfies OptionValues;
/** A greedy answer would repeat itself, and be ended. */
const endless = { temperature: 2, topK: 0, topP: 1, seed: 3, numPredict: 160 } satisfies OptionValues;
const prompts = ['The quick brown fox jumps over the lazy dog', 'Pack my box with five dozen jugs'] as const;
export const [first, second] = prompts;
/** Long enough to be written to disk. */
const long = `${second} ${first}`;
const longer = `${long}: so it is`;
const facts = createModelFactsReader();

async function withLease<Result>(
  { engine, name, path }: Pick<Subject, 'engine' | 'name' | 'path'>,
  work: (lease: Lease) => Promise<Result>,
  adapterPaths: readonly string[] = [],
): Promise<Result> {
  const source = sourceOf(name, path, adapterPaths);
  const { shape } = await facts.read(source);
  const options = resolveOptions({ numCtx, numThread: 1 }).load;
  const lease = await engine.acquire({ name, source, options, ...(shape ? { shape } : {}) }, never);
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}

function sourceOf(key: string, weightsPath: string, adapterPaths: readonly string[]): LocalModelSource {
  return { kind: 'local', key, weightsPath, adapterPaths, fileBytes: statSync(weightsPath).size };
}

function ask(
  lease: Lease,
  { excluded }: Subject,
  prompt: string,
  options: OptionValues = greedy,
  signal = never,
): Promise<Answer> {
  const logitBias = excluded.map((token) => [token, -1e30] as const);
  return answerOf(lease.generate(requestOf(prompt, options, { topLogprobs: 2, logitBias }), signal));
}

/**
 * Only the engine's own answer knows which tokens were excluded, so that it decides whether two were almost equal. An answer
 * that repeats itself ends early.
 */
function expectSameText({ rounds }: Subject, actual: ComparedAnswer, expected: ComparedAnswer): void {
  const shared = Math.min(actual.logprobs.length, expected.logprobs.length);
  if (shared < greedy.numPredict) throw new Error(`the answer has ${shared} tokens`);
  const cut = ({ text, logprobs }: ComparedAnswer): ComparedAnswer => ({
    text,
    logprobs: logprobs
      .slice(0, shared)
      .map((entry, index) => ({ ...entry, top: expected.logprobs[index]?.top ?? entry.top })),
  });
  (rounds ? expectSameLikeliest : expectSameUnquantized)(cut(actual), cut(expected));
}

/** An adapter has an effect where the likeliest token may stay the same. */
export function expectOther(actual: ComparedAnswer, plain: ComparedAnswer): void {
  const [one, other] = [actual.logprobs[0], plain.logprobs[0]];
  expect(actual.text !== plain.text || Math.abs((one?.logprob ?? 0) - (other?.logprob ?? 0)) > 0.001).toBe(true);
}

/** Fills a column. */
export async function check(cells: Cells, column: string, work: () => Promise<unknown>): Promise<void> {
  try {
    const result = await work();
    cells.set(column, typeof result === 'string' ? result : 'yes');
  } catch (error) {
    cells.set(column, `FAILED: ${messageOf(error).replace(/\s+/g, ' ').slice(0, 300)}`);
  }
}

/** Bytes of weights and caches: the rest does not depend on the architecture. */
async function checkMemory({ name, path, bare }: Subject): Promise<string> {
  const source = sourceOf(name, path, []);
  const { shape } = await facts.read(source);
  const { load: options } = resolveOptions({ numCtx: 512 });
  const cache = contextBytes({ source, options, ...(shape ? { shape } : {}) }, { keys: 'f16', values: 'f16' }, 512);
  const estimated = source.fileBytes + parallel * cache;
  const ratio = estimated / bare().memoryOf(parallel, 512);
  if (ratio < 0.8 || ratio > 1.2) throw new Error(`estimated ${ratio.toFixed(2)} of what it takes`);
  return ratio.toFixed(2);
}

export async function checkText(subject: Subject, cells: Cells): Promise<void> {
  await withLease(subject, async (lease) => {
    cells.set('load', 'yes');
    const bare = subject.bare();
    await check(cells, 'memory', () => checkMemory(subject));
    await check(cells, 'text', async () =>
      expectSameText(subject, await ask(lease, subject, first), bare.answer(first, 12)),
    );
    await check(cells, 'batch', async () => {
      const others = ['Sphinx of black quartz', 'judge my vow, and how'];
      const answers = await Promise.all(others.map((prompt) => ask(lease, subject, prompt)));
      for (const [index, prompt] of others.entries())
        expectSameText(subject, answers[index] as Answer, bare.answer(prompt, 12));
    });
    await check(cells, 'prefix', async () => {
      const longer = `${first} and runs away`;
      await ask(lease, subject, first);
      const answer = await ask(lease, subject, longer);
      expectSameText(subject, answer, bare.answer(longer, 12));
      return reuseOf(answer);
    });
    await check(cells, 'speculation', async () => {
      const prompt = 'abcdefghijklmnopqr abcdefghijklmnopqr abcdef';
      const expected = bare.answer(prompt, 40);
      for (const speculate of [true, false])
        expectSameText(subject, await ask(lease, subject, prompt, { ...greedy, numPredict: 40, speculate }), expected);
    });
    await check(cells, 'cancel', async () => {
      const controller = new AbortController();
      const running = ask(lease, subject, second, { ...greedy, numPredict: 1000 }, controller.signal);
      setTimeout(() => controller.abort(), 5);
      await running.catch(() => undefined);
      expectSameText(subject, await ask(lease, subject, second), bare.answer(second, 12));
    });
    await check(cells, 'shift', async () => {
      const { done, started } = await ask(lease, subject, second, endless);
      if (done.reason !== 'length') throw new Error(`ended with ${done.reason}`);
      if (done.generatedTokens === endless.numPredict) return 'shifts';
      if (done.generatedTokens === numCtx - started.promptTokens + 1) return 'ends';
      throw new Error(`ended after ${done.generatedTokens} tokens`);
    });
  });
}

/** A model that Hearth does not run is an error that says so. Its process does not die. */
export async function checkRefusal(subject: Subject): Promise<string> {
  const refused = await withLease(subject, async () => undefined).catch(messageOf);
  if (refused === undefined || !/not supported|cannot generate/.test(refused))
    throw new Error(refused ?? 'it is loaded');
  return 'refused';
}

/** An adapter that the engine cannot apply is an error as well. */
export async function checkAdapterRefusal(subject: Subject, adapterPaths: readonly string[]): Promise<true> {
  const refused = await withLease(subject, async () => undefined, adapterPaths).catch(messageOf);
  if (refused === undefined || !/llama\.cpp (cannot|does not) apply/.test(refused))
    throw new Error(refused ?? 'it is loaded');
  return true;
}

/** After an unload, from disk. The second use makes a prefix of a small model worth writing. */
export async function checkDisk(subject: Subject): Promise<string> {
  await withLease(subject, async (lease) => {
    for (const _ of [1, 2]) await ask(lease, subject, long);
  });
  await subject.engine.unload(subject.name);
  return withLease(subject, async (lease) => {
    const answer = await ask(lease, subject, longer);
    expectSameText(subject, answer, subject.bare().answer(longer, 12));
    return reuseOf(answer);
  });
}

/** After `checkDisk` with an engine that runs another number of parallel requests. */
export async function checkOtherParallel(subject: Subject, isPortable: boolean): Promise<string> {
  const answer = await withLease(subject, (lease) => ask(lease, subject, longer));
  expectSameText(subject, answer, subject.bare().answer(longer, 12));
  if (isPortable) return reuseOf(answer);
  if (answer.started.cachedTokens > 0) throw new Error('it is reused');
  return checkDisk(subject);
}

function reuseOf({ started: { cachedTokens, promptTokens } }: Answer): string {
  if (cachedTokens === 0) throw new Error('nothing is reused');
  return `${cachedTokens} of ${promptTokens}`;
}

/** The same answer as the engine alone gives, with the same files. */
export function answerAlike(
  subject: Subject,
  { adapterPaths = [] }: { readonly adapterPaths?: readonly string[] } = {},
): Promise<Answer> {
  return withLease(
    subject,
    async (lease) => {
      const answer = await ask(lease, subject, first);
      expectSameText(subject, answer, subject.bare().answer(first, 12));
      return answer;
    },
    adapterPaths,
  );
}

export async function checkEmbeddings(subject: Subject): Promise<void> {
  await withLease(subject, async (lease) => {
    const texts = [...prompts, 'a'];
    const { vectors } = await lease.embed({ texts, truncate: true }, never);
    texts.forEach((text, index) => {
      const expected = subject.bare().embed(text);
      const actual = vectors[index] as Float32Array;
      const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const difference = expected.reduce(
        (most, value, place) => Math.max(most, Math.abs(value - (actual[place] as number))),
        0,
      );
      if (!(difference < 0.01 * largest)) throw new Error(`text ${index} differs by ${difference} of ${largest}`);
    });
  });
}
