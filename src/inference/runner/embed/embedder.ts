// Turns texts into vectors. The texts of all requests share passes. While answers are generated, passes are short and
// long ones are split, so that the streams stay smooth.

import type { Clock } from '../../../base/time/clock.ts';
import { type CountersOf, zeroCounters } from '../../protocol/counters.ts';
import type { EmbedCommand, EmbeddedText } from '../../protocol/messages.ts';
import { chooseChunk } from '../generate/step/plan-step.ts';
import { createPromptRate } from '../generate/step/prompt-rate.ts';
import type { Outbox } from '../outbox.ts';
import { toFailedEvent } from '../to-failed-event.ts';
import { planEmbedPass } from './embed-batcher.ts';
import type { EmbedContext, EmbedPass } from './embed-context.ts';
import type { EmbedTokenizer } from './embed-input.ts';

export interface Embedder {
  add(command: EmbedCommand): void;
  /** Drops a request and its waiting texts. */
  cancel(id: number): void;
  /** Runs one part of a pass. Returns false if nothing is left to do. */
  step(options: { readonly othersGenerate: boolean }): boolean;
  readonly counters: Readonly<CountersOf<'embeddings'>>;
}

export interface EmbedderOptions {
  readonly context: EmbedContext;
  readonly tokenizer: EmbedTokenizer;
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Maximum tokens per pass. */
  readonly numBatch: number;
}

interface Call {
  readonly command: EmbedCommand;
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

export function createEmbedder({ context, tokenizer, outbox, clock, numBatch }: EmbedderOptions): Embedder {
  // The first is served and then moves to the end: a short request does not wait for a long one.
  let calls: Call[] = [];
  let running: RunningPass | undefined;
  const rate = createPromptRate();
  const counters = zeroCounters('embeddings');

  function step({ othersGenerate }: { readonly othersGenerate: boolean }): boolean {
    const chunk = chooseChunk({ tokensPerSecond: rate.perSecond, othersGenerate, numBatch });
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
    const { command, ready, next } = call;
    const text = command.texts[next];
    if (position < ready.length || text === undefined) return ready[position];
    try {
      ready.push({ call, index: next, tokens: tokenizer.tokenize(text, command) });
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
    counters.embedPasses++;
    counters.textsEmbedded += inputs.length;
    counters.embedTokensEvaluated += totalTokens(inputs);
    const parts = new Map<Call, EmbeddedText[]>();
    inputs.forEach(({ call, index, tokens }, position) => {
      const part = parts.get(call) ?? [];
      parts.set(call, part);
      part.push({ index, tokens: tokens.length, vector: encodeFloats(vectors[position] as Float32Array) });
    });
    for (const [call, part] of parts) {
      if (!calls.includes(call)) continue;
      outbox.send({ type: 'embedded', id: call.command.id, vectors: part });
      call.left -= part.length;
      if (call.left === 0) remove(call);
    }
  }

  function failAll(inputs: readonly Input[], error: unknown): void {
    for (const call of new Set(inputs.map((input) => input.call))) if (calls.includes(call)) fail(call, error);
  }

  function fail(call: Call, error: unknown): void {
    outbox.send(toFailedEvent(call.command.id, error));
    remove(call);
  }

  function remove(call: Call): void {
    calls = calls.filter((other) => other !== call);
    if (running?.inputs.every((input) => !calls.includes(input.call))) running = undefined;
  }

  return {
    counters,
    step,
    add: (command) => calls.push({ command, ready: [], next: 0, left: command.texts.length }),
    cancel(id) {
      const call = calls.find(({ command }) => command.id === id);
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
