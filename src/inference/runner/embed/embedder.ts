// Turns texts into vectors, or pairs of a query and a document into scores. The texts of all requests share passes. While
// answers are generated, passes are short and long ones are split, so that the streams stay smooth.

import type { Clock } from '../../../base/time/clock.ts';
import type { EmbeddedText } from '../../protocol/messages.ts';
import type { Outbox } from '../events/outbox.ts';
import { chooseChunk, limitLongParts, PromptRate } from '../generate/step/plan-step.ts';
import type { EmbedContext, EmbedPass } from './embed-context.ts';

/** The texts of one request. */
interface EmbedJob {
  readonly id: number;
  readonly count: number;
  /** The tokens of a text. If it throws, the request fails. */
  readonly tokensOf: (index: number) => readonly number[];
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

export class Embedder {
  readonly #context: EmbedContext;
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  readonly #numBatch: number;
  readonly #rate = new PromptRate();
  readonly counters = { texts: 0, tokens: 0, passes: 0 };
  /** The first is served and then moves to the end: a short request does not wait for a long one. */
  #calls: Call[] = [];
  #running: RunningPass | undefined;

  /** `numBatch`: maximum tokens per pass. */
  constructor(context: EmbedContext, outbox: Outbox, { clock, numBatch }: { clock: Clock; numBatch: number }) {
    this.#context = context;
    this.#outbox = outbox;
    this.#clock = clock;
    this.#numBatch = numBatch;
  }

  get isIdle(): boolean {
    return this.#calls.length === 0;
  }

  add(job: EmbedJob): void {
    this.#calls.push({ job, ready: [], next: 0, left: job.count });
  }

  /** Drops a request and its waiting texts. */
  cancel(id: number): void {
    const call = this.#calls.find(({ job }) => job.id === id);
    if (call !== undefined) this.#remove(call);
  }

  /** Runs one part of a pass. */
  step({ othersGenerate }: { readonly othersGenerate: boolean }): void {
    const numBatch = this.#numBatch;
    const affordable = chooseChunk({ tokensPerSecond: this.#rate.perSecond, othersGenerate, numBatch });
    const chunk = limitLongParts(affordable, othersGenerate);
    // A pass that cannot be split must be short from the start.
    this.#running ??= this.#beginPass(this.#context.kind === 'pooled' ? chunk : numBatch);
    if (this.#running !== undefined) this.#advance(this.#running, chunk);
  }

  #beginPass(tokens: number): RunningPass | undefined {
    const waiting = this.#nextInputs();
    const lengths = waiting.map((input) => input.tokens.length);
    const chosen = planEmbedPass(lengths, { tokens, sequences: this.#context.sequences });
    const inputs = chosen.map((index) => waiting[index] as Input);
    if (inputs.length === 0) return undefined;
    for (const { call, index } of inputs) {
      const position = call.ready.findIndex((input) => input.index === index);
      call.ready.splice(position, 1);
    }
    this.#calls.push(...this.#calls.splice(0, 1));
    try {
      return { inputs, pass: this.#context.begin(inputs.map((input) => input.tokens)) };
    } catch (error) {
      this.#failAll(inputs, error);
      return undefined;
    }
  }

  /** One text of every request in turn. */
  #nextInputs(): Input[] {
    const inputs: Input[] = [];
    for (let round = 0; inputs.length < windowSize; round++) {
      const found = this.#calls.map((call) => this.#readyInput(call, round)).filter((input) => input !== undefined);
      if (found.length === 0) break;
      inputs.push(...found);
    }
    return inputs.filter(({ call }) => this.#calls.includes(call));
  }

  #readyInput(call: Call, position: number): Input | undefined {
    const { job, ready, next } = call;
    if (position < ready.length || next === job.count) return ready[position];
    try {
      ready.push({ call, index: next, tokens: job.tokensOf(next) });
      call.next++;
      return ready[position];
    } catch (error) {
      this.#fail(call, error);
      return undefined;
    }
  }

  #advance({ inputs, pass }: RunningPass, tokens: number): void {
    const start = this.#clock.monotonic();
    try {
      const vectors = pass.advance(tokens);
      this.#rate.observe(Math.min(tokens, totalTokens(inputs)), this.#clock.monotonic() - start);
      if (vectors === undefined) return;
      this.#running = undefined;
      this.#deliver(inputs, vectors);
    } catch (error) {
      this.#running = undefined;
      this.#failAll(inputs, error);
    }
  }

  #deliver(inputs: readonly Input[], vectors: readonly Float32Array[]): void {
    this.counters.passes++;
    this.counters.texts += inputs.length;
    this.counters.tokens += totalTokens(inputs);
    const parts = new Map<Call, EmbeddedText[]>();
    inputs.forEach(({ call, index, tokens }, position) => {
      const part = parts.get(call) ?? [];
      parts.set(call, part);
      part.push({ index, tokens: tokens.length, vector: encodeFloats(vectors[position] as Float32Array) });
    });
    for (const [call, part] of parts) {
      if (!this.#calls.includes(call)) continue;
      this.#outbox.send({ type: 'embedded', id: call.job.id, vectors: part });
      call.left -= part.length;
      if (call.left === 0) this.#remove(call);
    }
  }

  #failAll(inputs: readonly Input[], error: unknown): void {
    for (const call of new Set(inputs.map((input) => input.call)))
      if (this.#calls.includes(call)) this.#fail(call, error);
  }

  #fail(call: Call, error: unknown): void {
    this.#outbox.fail(call.job.id, error);
    this.#remove(call);
  }

  #remove(call: Call): void {
    this.#calls = this.#calls.filter((other) => other !== call);
    if (this.#running?.inputs.every((input) => !this.#calls.includes(input.call))) this.#running = undefined;
  }
}

function totalTokens(inputs: readonly Input[]): number {
  return inputs.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

function encodeFloats({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/**
 * Chooses the texts of the next pass; returns their indexes. Passes have no padding, so a full one is the most efficient: the
 * first text always goes, alone if it is longer than the limit, then the longest that still fit.
 */
export function planEmbedPass(
  lengths: readonly number[],
  { tokens, sequences }: { readonly tokens: number; readonly sequences: number },
): number[] {
  const [first, ...others] = lengths.map((length, index) => ({ length, index }));
  if (first === undefined) return [];
  const chosen = [first.index];
  let room = tokens - first.length;
  for (const { length, index } of others.sort((a, b) => b.length - a.length || a.index - b.index)) {
    if (chosen.length === sequences) break;
    if (length > room) continue;
    chosen.push(index);
    room -= length;
  }
  return chosen;
}
