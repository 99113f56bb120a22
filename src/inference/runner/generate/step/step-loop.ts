// The runner's main loop: plan, decode, sample, send. Each step advances every live request; requests join and leave
// between steps.
//
// A GPU computes while the caller goes on. So the last pass of a step is completed by the next step, and everything in
// between costs no time: writing text, reading the pipe, requests that join and leave.

import { type CountersOf, zeroCounters } from '../../../protocol/counters.ts';
import { chunkAt } from '../../vision/image-positions.ts';
import { isGenerating, type Sequence, textLeft } from '../sequence.ts';
import { createSpeculation } from '../speculation/speculation.ts';
import { createAdmission } from './admission.ts';
import { createEvaluator, type EvaluatedPart, type StartedPass } from './evaluator.ts';
import { createFinisher } from './finisher.ts';
import { chooseChunk, type PlanMember, planStep, type StepPlan } from './plan-step.ts';
import { createPromptRate } from './prompt-rate.ts';
import type { StepSources } from './step-sources.ts';
import { createTextWriter } from './text-writer.ts';
import { createTokenChooser } from './token-chooser.ts';

export interface StepLoop {
  add(sequence: Sequence): void;
  /** Ends a request without an event; its slot is free at once. */
  cancel(id: number): void;
  /** Waits for the last pass, and chooses its tokens. Returns false if none is computing. */
  complete(): boolean;
  /** Runs one step. Returns false if nothing is left to do. */
  step(): boolean;
  readonly counters: Readonly<CountersOf<'generation'>>;
}

export function createStepLoop(sources: StepSources): StepLoop {
  const { slots, outbox, numBatch, hasDeviceMemory } = sources;
  const counters = zeroCounters('generation');
  const rate = createPromptRate();
  const admission = createAdmission({ ...sources, counters });
  const finisher = createFinisher(sources);
  const texts = createTextWriter({ outbox, finisher });
  const chooseToken = createTokenChooser({ ...sources, counters, finisher, texts });
  const speculation = createSpeculation({ ...sources, counters, finisher, chooseToken, texts });
  const evaluator = createEvaluator({ ...sources, counters, rate, finisher, speculation, texts });

  const chunkSize = (): number =>
    chooseChunk({ tokensPerSecond: rate.perSecond, othersGenerate: slots.live.some(isGenerating), numBatch });

  let lastAdapters = '';
  let started: StartedPass | undefined;
  const complete = (): boolean => {
    const pass = started;
    started = undefined;
    pass?.complete();
    if (!hasDeviceMemory) texts.writeDue();
    // After a prompt, a GPU may take longer to begin the next pass than to compute it: CUDA records a graph.
    else if (texts.writeFirst()) outbox.flush();
    return pass !== undefined;
  };

  const begin = (parts: readonly EvaluatedPart[]): void => {
    lastAdapters = parts[0]?.sequence.adapters.key ?? lastAdapters;
    started = evaluator.beginPass(parts);
    if (hasDeviceMemory) texts.write();
  };

  const followPlan = (): void => {
    const members = new Map(slots.live.map((sequence) => [sequence.id, sequence]));
    const plan = planStep(slots.live.map(toPlanMember), chunkSize(), lastAdapters);
    for (const pass of plan.passes) {
      complete();
      const parts = pass.map(({ id, count }) => ({ sequence: members.get(id) as Sequence, count }));
      // A sequence may have ended with its text.
      begin(parts.filter(({ sequence }) => sequence.slot !== undefined));
    }
    if (!hasDeviceMemory || plan.images.length > 0) complete();
    for (const id of plan.images) evaluator.evaluateImage(members.get(id) as Sequence);
    countSkipped(slots.live, plan);
  };

  const canShareOnePass = (): boolean =>
    slots.live.every((sequence) => isGenerating(sequence) && sequence.adapters.key === lastAdapters);

  return {
    counters,
    add: admission.add,
    complete,
    step() {
      complete();
      // A sequence that ends makes room for one that waits.
      if (admission.waiting > 0) texts.writeDue();
      slots.settleFollowers();
      admission.admit();
      // Mostly so. A plan takes a noticeable part of a step of a small model, and a GPU waits for it.
      if (canShareOnePass()) {
        begin(slots.live.map(toNextPart));
        if (!hasDeviceMemory) complete();
      } else followPlan();
      slots.takeMarks();
      outbox.flushIfDue();
      return slots.live.length > 0 || admission.waiting > 0;
    },
    cancel(id) {
      // Its last token may have been chosen and not written yet.
      texts.write();
      const sequence = admission.remove(id) ?? slots.live.find((other) => other.id === id);
      if (sequence !== undefined) finisher.release(sequence);
    },
  };
}

function toNextPart(sequence: Sequence): EvaluatedPart {
  // It is served.
  sequence.skipped = 0;
  return { sequence, count: textLeft(sequence) };
}

function toPlanMember(sequence: Sequence): PlanMember {
  return {
    id: sequence.id,
    left: textLeft(sequence),
    imageNext: chunkAt(sequence.images, sequence.evaluated) !== undefined,
    generating: isGenerating(sequence),
    following: sequence.following !== undefined,
    skipped: sequence.skipped,
    adapters: sequence.adapters.key,
  };
}

function countSkipped(live: readonly Sequence[], { passes, images }: StepPlan): void {
  const served = new Set([...passes.flat().map(({ id }) => id), ...images]);
  for (const sequence of live) sequence.skipped = served.has(sequence.id) ? 0 : sequence.skipped + 1;
}
