// The real engine with the real model, without HTTP, so that tests can read its counters.

import { statSync } from 'node:fs';
import { childEnvironment } from '../../src/base/config/child-environment.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { createEngine, type EngineOptions, type EngineSettings } from '../../src/inference/engine/create-engine.ts';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import type { AnswerDone, AnswerEvent, AnswerStarted } from '../../src/inference/model/answer-event.ts';
import type { LocalModelSource } from '../../src/inference/model/model-source.ts';
import type { Counters } from '../../src/inference/protocol/counters.ts';
import type { TokenLogprob } from '../../src/inference/protocol/messages.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { chatml } from './client.ts';
import { repository } from './repository.ts';

export const runnerScript = repository('dist/inference/runner/process/main.js');
export const launcher = repository('dist/inference/runner/sandbox/launch.js');
const emberPath = repository('models/ember-q4_k_m.gguf');
export const emberSource: LocalModelSource = {
  kind: 'local',
  key: 'ember',
  weightsPath: emberPath,
  adapterPaths: [],
  fileBytes: statSync(emberPath).size,
};

export const never = new AbortController().signal;

export function startEngine(
  settings: Partial<EngineSettings> = {},
  script = runnerScript,
  parts: Pick<EngineOptions, 'prefixFiles' | 'planBackends'> = {},
): Engine {
  return createEngine({
    settings: {
      build: 'auto',
      contextLength: 4096,
      numParallel: 8,
      flashAttention: 'auto',
      cacheTypes: { keys: 'f16', values: 'f16' },
      prefixCacheBytes: 256 * 2 ** 20,
      maxLoadedModels: 3,
      maxQueue: 512,
      keepAliveMs: 300_000,
      loadTimeout: 60_000,
      ...settings,
    },
    runnerScript: script,
    ...parts,
    childSettings: script === runnerScript ? { launcher, environment: childEnvironment(process.env) } : undefined,
    clock: systemClock,
    logger: silentLogger,
  });
}

export function acquireEmber(engine: Engine, options: OptionValues = {}, client = ''): Promise<Lease> {
  return engine.acquire({ name: 'ember', source: emberSource, options: resolveOptions(options).load, client }, never);
}

export interface Answer {
  readonly text: string;
  readonly pieces: readonly string[];
  /** Where they were asked for. */
  readonly logprobs: readonly TokenLogprob[];
  readonly started: AnswerStarted;
  readonly done: AnswerDone;
}

export function requestOf(
  prompt: string,
  options: OptionValues = {},
  extra: Partial<GenerateRequest> = {},
): GenerateRequest {
  return { prompt, context: [], options: resolveOptions(options).sample, wantContext: false, ...extra };
}

export async function answerOf(events: AsyncIterable<AnswerEvent>): Promise<Answer> {
  const pieces: string[] = [];
  const logprobs: TokenLogprob[] = [];
  let started: AnswerStarted | undefined;
  let done: AnswerDone | undefined;
  for await (const event of events) {
    if (event.type === 'tokens') {
      pieces.push(event.text);
      logprobs.push(...(event.logprobs ?? []));
    } else if (event.type === 'started') started = event;
    else if (event.type === 'done') done = event;
  }
  if (!started || !done) throw new Error('the answer did not finish');
  return { text: pieces.join(''), pieces, logprobs, started, done };
}

/** How an answer ended, without times and counts of drafts. */
export function endOf({ done: { reason, stopSequence, context, generatedTokens } }: Answer) {
  return { reason, stopSequence, context, generatedTokens };
}

/** Asks Ember a question. */
export function askEmber(lease: Lease, question: string, options: OptionValues = {}, signal = never): Promise<Answer> {
  return answerOf(lease.generate(requestOf(chatml(question), options), signal));
}

/** The counters of an idle runner. */
export async function countersOf(lease: Lease): Promise<Counters> {
  // A runner sends its counters in its last step before it is idle. The first request may arrive before that step, the
  // second one cannot.
  await lease.countTokens('');
  await lease.countTokens('');
  const { counters } = lease.model;
  if (!counters) throw new Error('the runner has sent no counters');
  return counters;
}

/** Text of about this many tokens, different for each variant. */
export function longText(tokens: number, variant = 0): string {
  const words = [
    'fox',
    'river',
    'king',
    'garden',
    'moon',
    'bread',
    'winter',
    'music',
    'dragon',
    'school',
    'fire',
    'ship',
  ];
  const text: string[] = [];
  for (let index = 0; index < tokens; index++)
    text.push(words[(index * 7 + variant * 5 + ((index * index) >> 3)) % words.length] as string);
  return text.join(' ');
}
