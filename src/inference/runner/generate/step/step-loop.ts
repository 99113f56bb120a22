// The runner's main loop: plan, decode, sample, send. Each step advances every live request; requests join and leave
// between steps.

import { nanosecondsPerSecond } from '../../../../base/time/duration.ts';
import { zeroCounters } from '../../../protocol/counters.ts';
import { chunkAt } from '../../vision/image-positions.ts';
import { scoredPerStep } from '../sampling/prompt-scores.ts';
import { hasBegun, isGenerating, type Sequence, textLeft, unscoredLength } from '../sequence/sequence.ts';
import { Admission } from './admission.ts';
import { AnswerWriter } from './answer-writer.ts';
import { isHeld, servedBy, waitsForImage } from './background.ts';
import { type EvaluatedPart, Evaluator } from './evaluator.ts';
import { PipelinedPass } from './pipelined-pass.ts';
import { chooseChunk, type PlanMember, PromptRate, planDeviceStep, planStep, SharedChunk } from './plan-step.ts';
import type { StepSources } from './step-sources.ts';
import { TokenChooser } from './token-chooser.ts';

/** What goes through the model in a step: passes of text, then images. */
interface SequencePlan {
  readonly passes: readonly (readonly EvaluatedPart[])[];
  readonly images: readonly Sequence[];
}

const progressInterval = nanosecondsPerSecond / 2;

export class StepLoop {
  readonly counters = zeroCounters('generation');
  readonly #sources: StepSources;
  readonly #rate = new PromptRate();
  readonly #shared: SharedChunk;
  readonly #admission: Admission;
  readonly #answers: AnswerWriter;
  readonly #evaluator: Evaluator;
  readonly #pass: PipelinedPass;
  #lastAdapters = '';
  /** What a GPU computes next if there are both prompts and tokens of others. */
  #turn: 'prompts' | 'tokens' = 'prompts';

  constructor(sources: StepSources) {
    const { counters } = this;
    this.#sources = sources;
    this.#admission = new Admission(sources, counters);
    const answers = new AnswerWriter(sources);
    const tokens = new TokenChooser(sources, counters, answers);
    this.#answers = answers;
    this.#shared = new SharedChunk(sources.numBatch);
    const measures = { rate: this.#rate, shared: this.#shared };
    this.#evaluator = new Evaluator(sources, { counters, ...measures, answers, tokens });
    this.#pass = new PipelinedPass(sources, this.#evaluator, answers);
  }

  add(sequence: Sequence): void {
    this.#admission.add(sequence);
  }

  /** Ends a request without an event; its slot is free at once. */
  cancel(id: number): void {
    // The last token of the request may have been chosen and not written yet.
    this.#answers.write();
    const sequence = this.#admission.remove(id) ?? this.#sources.slots.live.find((other) => other.id === id);
    if (sequence !== undefined) this.#answers.release(sequence);
  }

  /** Waits for the last pass, and chooses its tokens. Returns false if none is computing. */
  sample(): boolean {
    return this.#pass.sample();
  }

  /** Runs one step. Returns false if nothing is left to do, or nothing before an image has been encoded. */
  step(): boolean {
    const { slots, outbox } = this.#sources;
    this.sample();
    const plan = this.#plan();
    this.#decode(plan);
    this.#pass.sampleEarly();
    slots.takeMarks();
    this.#sendProgress();
    outbox.sendDue();
    // While an image is encoded, a request that is alone has nothing to do.
    if (slots.live.some(waitsForImage)) return slots.live.some((sequence) => !isHeld(sequence));
    return slots.live.length > 0 || this.#admission.waiting > 0;
  }

  /** Long prompts take many steps. */
  #sendProgress(): void {
    const { slots, outbox, clock } = this.#sources;
    for (const sequence of slots.live) {
      if (!sequence.wantProgress || hasBegun(sequence)) continue;
      const { id, evaluated, reused, promptLength, admittedAt, progressSentAt } = sequence;
      // `started` is sent with the first part.
      if (evaluated === reused || evaluated >= promptLength) continue;
      const now = clock.monotonic();
      if (now - Math.max(admittedAt, progressSentAt) < progressInterval) continue;
      sequence.progressSentAt = now;
      outbox.send({ type: 'progress', id, evaluated });
    }
  }

  #plan(): SequencePlan {
    const { slots, numBatch, hasDeviceMemory: onGpu } = this.#sources;
    // A sequence that ends makes room for one that waits.
    if (this.#admission.waiting > 0) this.#answers.writeDue();
    slots.settleFollowers();
    this.#admission.admit();
    const live = servedBy(slots.live);
    // If all requests generate, no plan is needed. It takes a noticeable part of a step of a small model, and a GPU waits for it.
    if (live.every((sequence) => isGenerating(sequence) && sequence.adapters.key === this.#lastAdapters))
      return this.#planTokens(live);
    const tokensPerSecond = this.#rate.perSecond;
    const othersGenerate = live.some(isGenerating);
    const chunk =
      onGpu && othersGenerate ? this.#shared.tokens : chooseChunk({ tokensPerSecond, othersGenerate, numBatch });
    const planned = live.map(toPlanMember);
    const limits = { adapters: this.#lastAdapters, maxScored: scoredPerStep(this.#sources.vocabulary.size) };
    const { passes, images } = onGpu
      ? planDeviceStep(planned, chunk, { ...limits, turn: this.#turn })
      : planStep(planned, chunk, limits);
    const members = new Map(live.map((sequence) => [sequence.id, sequence]));
    const sequenceOf = (id: number): Sequence => members.get(id) as Sequence;
    const served = new Set([...passes.flat().map(({ id }) => id), ...images]);
    for (const sequence of live) sequence.skipped = served.has(sequence.id) ? 0 : sequence.skipped + 1;
    const isForPrompts = passes[0]?.some(({ id }) => !isGenerating(sequenceOf(id))) ?? false;
    // If nobody has waited for the prompts, others that have arrived meanwhile are next.
    this.#turn = isForPrompts && othersGenerate ? 'tokens' : 'prompts';
    return {
      passes: passes.map((pass) => pass.map(({ id, count }) => ({ sequence: sequenceOf(id), count }))),
      images: images.map(sequenceOf),
    };
  }

  #planTokens(live: readonly Sequence[]): SequencePlan {
    this.#turn = 'prompts';
    return { passes: [live.map(toNextPart)], images: [] };
  }

  #decode({ passes, images }: SequencePlan): void {
    for (const [index, pass] of passes.entries()) {
      if (index > 0) this.sample();
      // A sequence may have ended with its text.
      const parts = pass.filter(({ sequence }) => sequence.slot !== undefined);
      this.#lastAdapters = parts[0]?.sequence.adapters.key ?? this.#lastAdapters;
      this.#pass.decode(parts);
    }
    if (images.length > 0) this.sample();
    for (const sequence of images) this.#evaluator.evaluateImage(sequence);
  }
}

function toNextPart(sequence: Sequence): EvaluatedPart {
  sequence.skipped = 0;
  return { sequence, count: textLeft(sequence) };
}

function toPlanMember(sequence: Sequence): PlanMember {
  return {
    id: sequence.id,
    left: textLeft(sequence),
    imageNext: chunkAt(sequence.images, sequence.evaluated) !== undefined,
    generating: isGenerating(sequence),
    following: isHeld(sequence),
    skipped: sequence.skipped,
    adapters: sequence.adapters.key,
    scoredFrom: Math.max(0, unscoredLength(sequence) - sequence.evaluated),
  };
}
