// The heart of the runner: plan, decode, sample, emit. One step takes every live request a little further; requests
// come and go between two steps.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { type CountersOf, zeroCounters } from '../../protocol/counters.ts';
import { failureOf } from '../failure.ts';
import type { Batch } from '../llama/batch.ts';
import type { EngineContext } from '../llama/context.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';
import type { Outbox } from '../outbox.ts';
import { chunkAt, type ImageChunk, positionOf } from '../vision/image-positions.ts';
import { shiftContext } from './kv-cache/context-shift.ts';
import { contextTokens } from './kv-cache/context-tokens.ts';
import type { Slots } from './kv-cache/slots.ts';
import { chooseChunk, type PlanMember, planStep } from './plan-step.ts';
import { createPromptRate } from './prompt-rate.ts';
import { generates, type Sequence, textLeft } from './sequence.ts';
import { createTurns } from './turns.ts';

export interface StepLoop {
  add(sequence: Sequence): void;
  /** Forgets a request; its place is free at once. */
  cancel(id: number): void;
  /** One step; false when there is nothing left to do. */
  step(): boolean;
  readonly counters: Readonly<CountersOf<'generation'>>;
}

export interface StepLoopOptions {
  readonly context: EngineContext;
  readonly vocabulary: Vocabulary;
  readonly batch: Batch;
  readonly slots: Slots;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly contextLength: number;
  readonly numBatch: number;
}

export function createStepLoop(options: StepLoopOptions): StepLoop {
  const { context, vocabulary, batch, slots, outbox, clock, contextLength, numBatch } = options;
  const waiting: Sequence[] = [];
  const turns = createTurns<Sequence>();
  const rate = createPromptRate();
  const counters = zeroCounters('generation');

  function step(): boolean {
    slots.settleFollowers();
    admitWaiting();
    const members = new Map(slots.live.map((sequence) => [sequence.id, sequence]));
    const { passes, encodesImage } = planStep(slots.live.map(toPlanMember), chunkNow());
    for (const pass of passes) runPass(pass.map(({ id, count }) => ({ sequence: members.get(id) as Sequence, count })));
    for (const id of encodesImage) encode(members.get(id) as Sequence);
    countSkipped(new Set([...passes.flat().map(({ id }) => id), ...encodesImage]));
    outbox.flushIfDue();
    return slots.live.length > 0 || waiting.length > 0;
  }

  function admitWaiting(): void {
    while (waiting.length > 0 && slots.free > 0) {
      const sequence = turns.next(waiting, slots.live);
      waiting.splice(waiting.indexOf(sequence), 1);
      sequence.admittedAt = clock.monotonic();
      slots.admit(sequence);
    }
  }

  function chunkNow(): number {
    const othersGenerate = slots.live.some(generates);
    return chooseChunk({ tokensPerSecond: rate.perSecond, othersGenerate, numBatch });
  }

  function encode(sequence: Sequence): void {
    const { images, evaluated } = sequence;
    const chunk = chunkAt(images, evaluated) as ImageChunk;
    if (evaluated === sequence.reused) announce(sequence);
    const location = { sequence: sequence.slot as number, position: positionOf(images, evaluated) };
    if (!attempt([sequence], () => chunk.evaluate(location))) return;
    counters.promptTokensEvaluated += chunk.count;
    counters.promptPasses++;
    sequence.evaluated += chunk.count;
  }

  /** Takes each sequence `count` tokens further, and chooses the next token of those that have reached their end. */
  function runPass(parts: readonly { readonly sequence: Sequence; readonly count: number }[]): void {
    const ready = parts.filter(({ sequence }) => !generates(sequence) || makeRoom(sequence));
    if (ready.length === 0) return;
    for (const { sequence } of ready)
      if (sequence.evaluated === sequence.reused && !generates(sequence)) announce(sequence);
    batch.clear();
    const rows = ready.map(({ sequence, count }) => addTokens(sequence, count));
    const begun = clock.monotonic();
    const sequences = ready.map(({ sequence }) => sequence);
    if (!attempt(sequences, () => context.decode(batch))) return;
    countPass(ready, clock.monotonic() - begun);
    // Before anyone is looked at: whoever ends here makes others move, and they move with what they have evaluated.
    for (const { sequence, count } of ready) sequence.evaluated += count;
    ready.forEach(({ sequence }, index) => {
      if (sequence.evaluated === sequence.tokens.length) chooseNext(sequence, rows[index] as number);
    });
  }

  /** Returns the row of the last token. */
  function addTokens(sequence: Sequence, count: number): number {
    const { tokens, evaluated, images } = sequence;
    const ahead = positionOf(images, evaluated) - evaluated;
    let row = 0;
    for (let index = evaluated; index < evaluated + count; index++) {
      row = batch.add({
        token: tokens[index] as number,
        position: index + ahead,
        sequence: sequence.slot as number,
        logits: index === tokens.length - 1,
      });
    }
    return row;
  }

  function countPass(
    parts: readonly { readonly sequence: Sequence; readonly count: number }[],
    nanoseconds: number,
  ): void {
    const prompts = parts.filter(({ sequence }) => !generates(sequence));
    const tokens = prompts.reduce((sum, { count }) => sum + count, 0);
    counters.promptTokensEvaluated += tokens;
    if (prompts.length > 0) counters.promptPasses++;
    if (prompts.length < parts.length) counters.generatePasses++;
    else rate.observe(tokens, nanoseconds);
  }

  function announce(sequence: Sequence): void {
    counters.promptTokensCached += sequence.reused;
    outbox.send({
      type: 'started',
      id: sequence.id,
      promptTokens: sequence.promptLength,
      cachedTokens: sequence.reused,
      droppedTokens: sequence.droppedTokens,
    });
  }

  /** Where the engine cannot do it, the requests that it was for fail and the others go on. */
  function attempt(sequences: readonly Sequence[], evaluate: () => 'done' | 'full'): boolean {
    try {
      if (evaluate() === 'done') return true;
      throw new HearthError('request_failed', 'the context memory has no room left');
    } catch (error) {
      for (const sequence of sequences) fail(sequence, error);
      return false;
    }
  }

  function chooseNext(sequence: Sequence, row: number): void {
    let token: number;
    try {
      token = sequence.sampler.sample(row);
    } catch (error) {
      fail(sequence, error);
      return;
    }
    if (sequence.generated === 0) sequence.firstTokenAt = clock.monotonic();
    sequence.generated++;
    counters.tokensGenerated++;
    sequence.tokens.push(token);
    const ending = vocabulary.isEnd(token) ? 'stop' : sayToken(sequence, vocabulary.pieceOf(token));
    if (ending !== undefined) finish(sequence, ending);
  }

  /** Passes a token's text on; returns why the answer ends with it, if it does. */
  function sayToken(sequence: Sequence, piece: Buffer): 'stop' | 'length' | undefined {
    say(sequence, sequence.text.push(piece));
    if (sequence.text.stopped) return 'stop';
    const spent = sequence.generated >= sequence.budget || sequence.guard.exceeds(piece.toString('latin1'));
    return spent ? 'length' : undefined;
  }

  function say(sequence: Sequence, text: string): void {
    if (sequence.wantContext) sequence.answer += text;
    outbox.text(sequence.id, text, sequence.logprobs?.take(text));
  }

  /** Room for one more token; where there can be none, the answer ends here. */
  function makeRoom(sequence: Sequence): boolean {
    if (sequence.evaluated < contextLength) return true;
    if (sequence.shifts && shiftContext(context, sequence)) {
      counters.contextShifts++;
      return true;
    }
    finish(sequence, 'length');
    return false;
  }

  function finish(sequence: Sequence, reason: 'stop' | 'length'): void {
    say(sequence, sequence.text.finish());
    const now = clock.monotonic();
    outbox.send({
      type: 'done',
      id: sequence.id,
      reason,
      promptTokens: sequence.promptLength,
      promptNanoseconds: sequence.firstTokenAt - sequence.admittedAt,
      generatedTokens: sequence.generated,
      generateNanoseconds: now - sequence.firstTokenAt,
      ...(sequence.wantContext ? { context: contextTokens(vocabulary, sequence) } : {}),
    });
    leave(sequence);
  }

  function fail(sequence: Sequence, error: unknown): void {
    outbox.send(failureOf(sequence.id, error));
    leave(sequence);
  }

  function leave(sequence: Sequence): void {
    if (sequence.slot !== undefined) slots.release(sequence);
    sequence.sampler.free();
    sequence.releaseImages();
  }

  function countSkipped(served: ReadonlySet<number>): void {
    for (const sequence of slots.live) sequence.skipped = served.has(sequence.id) ? 0 : sequence.skipped + 1;
  }

  return {
    counters,
    step,
    add: (sequence) => waiting.push(sequence),
    cancel(id) {
      const index = waiting.findIndex((sequence) => sequence.id === id);
      const sequence = index === -1 ? slots.live.find((other) => other.id === id) : waiting.splice(index, 1)[0];
      if (sequence !== undefined) leave(sequence);
    },
  };
}

function toPlanMember(sequence: Sequence): PlanMember {
  return {
    id: sequence.id,
    left: textLeft(sequence),
    encodesImage: chunkAt(sequence.images, sequence.evaluated) !== undefined,
    generates: generates(sequence),
    following: sequence.following !== undefined,
    skipped: sequence.skipped,
  };
}
