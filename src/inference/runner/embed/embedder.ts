// Turns texts into vectors, or pairs of a query and a document into scores. The texts of all requests share passes. While
// answers are generated, passes are short and long ones are split, so that the streams stay smooth.

import type { Clock } from '../../../base/time/clock.ts';
import type { EmbeddedText } from '../../protocol/messages.ts';
import { chooseChunk, limitLongParts } from '../generate/step/plan-step.ts';
import { createPromptRate } from '../generate/step/prompt-rate.ts';
import type { Outbox } from '../outbox.ts';
import { toFailedEvent } from '../to-failed-event.ts';
import { planEmbedPass } from './embed-batcher.ts';
import type { EmbedContext, EmbedPass } from './embed-context.ts';

/** The texts of one request. */
export interface EmbedJob {
  readonly id: number;
  readonly count: number;
  /** The tokens of a text. If it throws, the request fails. */
  readonly tokensOf: (index: number) => readonly number[];
}

export interface Embedder {
  add(job: EmbedJob): void;
  /** Drops a request and its waiting texts. */
  cancel(id: number): void;
  /** Runs one part of a pass. Returns false if nothing is left to do. */
  step(options: { readonly othersGenerate: boolean }): boolean;
  readonly counters: EmbedCounters;
}

/** Since the load. */
export interface EmbedCounters {
  readonly texts: number;
  readonly tokens: number;
  readonly passes: number;
}

export interface EmbedderOptions {
  readonly context: EmbedContext;
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Maximum tokens per pass. */
  readonly numBatch: number;
}

interface Call {
  readonly job: EmbedJob;
  /** Tokenized and waiting, in the order of the texts. */
  readonly ready: Input[];
  /** Index of the first text that is not tokenized. */
  next: number;
  /** Vectors that are not sent yet. */
  left: number;
}

interface Input {
  readonly call: Call;
  readonly index: number;
  readonly tokens: readonly number[];
}

interface RunningPass {
  readonly inputs: readonly Input[];
  readonly pass: EmbedPass;
}

// About how many texts are considered for a pass. More would not fill it better, and all are tokenized at once.
const windowSize = 128;

export function createEmbedder({ context, outbox, clock, numBatch }: EmbedderOptions): Embedder {
  // The first is served and then moves to the end: a short request does not wait for a long one.
  let calls: Call[] = [];
  let running: RunningPass | undefined;
  const rate = createPromptRate();
  const counters = { texts: 0, tokens: 0, passes: 0 };

  function step({ othersGenerate }: { readonly othersGenerate: boolean }): boolean {
    const affordable = chooseChunk({ tokensPerSecond: rate.perSecond, othersGenerate, numBatch });
    const chunk = limitLongParts(affordable, othersGenerate);
    // A pass that cannot be split must be short from the start.
    running ??= beginPass(context.kind === 'pooled' ? chunk : numBatch);
    if (running !== undefined) advance(running, chunk);
    return calls.length > 0;
  }

  function beginPass(tokens: number): RunningPass | undefined {
    const waiting = nextInputs();
    const lengths = waiting.map((input) => input.tokens.length);
    const chosen = planEmbedPass(lengths, { tokens, sequences: context.sequences });
    const inputs = chosen.map((index) => waiting[index] as Input);
    if (inputs.length === 0) return undefined;
    for (const { call, index } of inputs) {
      const position = call.ready.findIndex((input) => input.index === index);
      call.ready.splice(position, 1);
    }
    calls.push(...calls.splice(0, 1));
    try {
      return { inputs, pass: context.begin(inputs.map((input) => input.tokens)) };
    } catch (error) {
      failAll(inputs, error);
      return undefined;
    }
  }

  /** One text of every request in turn. */
  function nextInputs(): Input[] {
    const inputs: Input[] = [];
    for (let round = 0; inputs.length < windowSize; round++) {
      const found = calls.map((call) => readyInput(call, round)).filter((input) => input !== undefined);
      if (found.length === 0) break;
      inputs.push(...found);
    }
    return inputs.filter(({ call }) => calls.includes(call));
  }

  function readyInput(call: Call, position: number): Input | undefined {
    const { job, ready, next } = call;
    if (position < ready.length || next === job.count) return ready[position];
    try {
      ready.push({ call, index: next, tokens: job.tokensOf(next) });
      call.next++;
      return ready[position];
    } catch (error) {
      fail(call, error);
      return undefined;
    }
  }

  function advance({ inputs, pass }: RunningPass, tokens: number): void {
    const start = clock.monotonic();
    try {
      const vectors = pass.advance(tokens);
      rate.observe(Math.min(tokens, totalTokens(inputs)), clock.monotonic() - start);
      if (vectors === undefined) return;
      running = undefined;
      deliver(inputs, vectors);
    } catch (error) {
      running = undefined;
      failAll(inputs, error);
    }
  }

  function deliver(inputs: readonly Input[], vectors: readonly Float32Array[]): void {
    counters.passes++;
    counters.texts += inputs.length;
    counters.tokens += totalTokens(inputs);
    const parts = new Map<Call, EmbeddedText[]>();
    inputs.forEach(({ call, index, tokens }, position) => {
      const part = parts.get(call) ?? [];
      parts.set(call, part);
      part.push({ index, tokens: tokens.length, vector: encodeFloats(vectors[position] as Float32Array) });
    });
    for (const [call, part] of parts) {
      if (!calls.includes(call)) continue;
      outbox.send({ type: 'embedded', id: call.job.id, vectors: part });
      call.left -= part.length;
      if (call.left === 0) remove(call);
    }
  }

  function failAll(inputs: readonly Input[], error: unknown): void {
    for (const call of new Set(inputs.map((input) => input.call))) if (calls.includes(call)) fail(call, error);
  }

  function fail(call: Call, error: unknown): void {
    outbox.send(toFailedEvent(call.job.id, error));
    remove(call);
  }

  function remove(call: Call): void {
    calls = calls.filter((other) => other !== call);
    if (running?.inputs.every((input) => !calls.includes(input.call))) running = undefined;
  }

  return {
    counters,
    step,
    add: (job) => calls.push({ job, ready: [], next: 0, left: job.count }),
    cancel(id) {
      const call = calls.find(({ job }) => job.id === id);
      if (call !== undefined) remove(call);
    },
  };
}

function totalTokens(inputs: readonly Input[]): number {
  return inputs.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

function encodeFloats({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
