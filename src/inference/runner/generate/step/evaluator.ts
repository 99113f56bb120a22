// Takes sequences through the model: tokens of several sequences in one pass, or one image.

import { HearthError } from '../../../../base/errors.ts';
import type { CountersOf } from '../../../protocol/counters.ts';
import { chunkAt, type ImageChunk, positionOf } from '../../vision/image-positions.ts';
import { closeGaps, shiftContext } from '../kv-cache/context-shift.ts';
import { hasBegun, isGenerating, type Sequence } from '../sequence.ts';
import { type Draft, noDraft } from '../speculation/drafter.ts';
import type { Speculation } from '../speculation/speculation.ts';
import type { Finisher } from './finisher.ts';
import type { PromptRate } from './prompt-rate.ts';
import { toStartedEvent } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';
import type { TextWriter } from './text-writer.ts';

/** The next `count` tokens of a sequence. */
export interface EvaluatedPart {
  readonly sequence: Sequence;
  readonly count: number;
}

interface ReadyPart extends EvaluatedPart {
  /** Its context was shifted to make room. */
  readonly shifted: boolean;
  /** Tokens that may come next. They are evaluated in the same pass. */
  readonly draft: Draft;
  /** The row of its last token in the pass. The rows of the draft follow it. */
  row: number;
}

// From the next cell on, llama.cpp divides attention between the threads if a sequence is alone, so that sums are rounded
// differently with another number of threads (docs/adr/0038).
const sameForAnyThreads = 256;

export interface Evaluator {
  /** Begins to evaluate the parts. Nothing else may be evaluated before the pass is completed. */
  beginPass(parts: readonly EvaluatedPart[]): StartedPass | undefined;
  evaluateImage(sequence: Sequence): void;
}

/** A pass that a GPU may still compute. */
export interface StartedPass {
  /** Waits for the logits, and chooses the next token of each sequence that has no more tokens to evaluate. */
  complete(): void;
}

export interface EvaluatorOptions
  extends Pick<
    StepSources,
    'context' | 'batch' | 'useAdapters' | 'outbox' | 'choicesAhead' | 'clock' | 'contextLength'
  > {
  readonly counters: CountersOf<'generation'>;
  readonly rate: PromptRate;
  readonly finisher: Finisher;
  readonly speculation: Speculation;
  readonly texts: TextWriter;
}

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { context, batch, useAdapters, outbox, choicesAhead, clock, contextLength } = options;
  const { counters, rate, finisher, speculation, texts } = options;

  const start = (sequence: Sequence): void => {
    if (sequence.evaluated !== sequence.reused || hasBegun(sequence)) return;
    counters.promptTokensCached += sequence.reused;
    outbox.send(toStartedEvent(sequence));
  };

  /** Makes room for the tokens that are left. If that is impossible, the answer ends and nothing of it is left to evaluate. */
  const makeRoom = (part: EvaluatedPart): ReadyPart | undefined => {
    const { sequence } = part;
    let shifted = false;
    while (sequence.tokens.length > contextLength) {
      if (!sequence.shifts || !shiftContext(context, sequence)) {
        texts.check(sequence);
        if (sequence.slot !== undefined) finisher.finish(sequence, 'length');
        return undefined;
      }
      counters.contextShifts++;
      shifted = true;
    }
    const drafts = isGenerating(sequence) && !shifted;
    return toReady(part, drafts ? speculation.draft(sequence) : noDraft, shifted);
  };

  const addTokens = (part: ReadyPart): void => {
    const { sequence, count, draft } = part;
    const { tokens, evaluated, images } = sequence;
    const slot = sequence.slot as number;
    const offset = positionOf(images, evaluated) - evaluated;
    for (let index = evaluated; index < evaluated + count; index++) {
      part.row = batch.add({
        token: tokens[index] as number,
        position: index + offset,
        sequence: slot,
        logits: index === tokens.length - 1,
      });
    }
    const next = evaluated + count + offset;
    for (const [index, token] of draft.tokens.entries())
      batch.add({ token, position: next + index, sequence: slot, logits: true });
  };

  /** A failure ends only the sequences of the failed call. */
  const attempt = (parts: readonly EvaluatedPart[], evaluate: () => 'done' | 'full'): boolean => {
    try {
      // All parts of a pass have the same adapters.
      if (parts[0] !== undefined) useAdapters(parts[0].sequence.adapters.scales);
      if (evaluate() === 'done') return true;
      throw new HearthError('request_failed', 'the KV cache is full');
    } catch (error) {
      texts.write();
      for (const { sequence } of parts) if (sequence.slot !== undefined) finisher.fail(sequence, error);
      return false;
    }
  };

  /** Returns the tokens of a pass that has only prompts, whose time is measured. */
  const countPass = (parts: readonly EvaluatedPart[]): number => {
    let prompts = 0;
    let promptTokens = 0;
    for (const { sequence, count } of parts) {
      if (isGenerating(sequence)) continue;
      prompts++;
      promptTokens += count;
    }
    counters.promptTokensEvaluated += promptTokens;
    if (prompts > 0) counters.promptPasses++;
    if (prompts === parts.length) return promptTokens;
    counters.generatePasses++;
    return 0;
  };

  const measurePrompts = (tokens: number, begin: number): void => {
    context.wait();
    rate.observe(tokens, clock.monotonic() - begin);
  };

  const isLive = ({ sequence }: EvaluatedPart): boolean => sequence.slot !== undefined;
  const isDue = ({ sequence }: EvaluatedPart): boolean => sequence.evaluated === sequence.tokens.length;

  const chooseAhead = (due: readonly ReadyPart[]): 'done' => {
    choicesAhead.choose(due.length, (index) => {
      const { sequence, row } = due[index] as ReadyPart;
      return sequence.sampler.prepare(row);
    });
    return 'done';
  };

  /** Chooses the next token of each sequence that has no more tokens to evaluate. */
  const chooseTokens = (parts: readonly ReadyPart[]): void => {
    // A sequence may have ended since the pass began.
    const last = parts.filter(isLive);
    const due = last.filter(isDue);
    if (!attempt(due, () => chooseAhead(due))) return;
    // The last slot first: when several sequences end, none is moved into the slot of one that also ends.
    for (const part of last.reverse()) {
      if (part.shifted && !attempt([part], () => closeGaps(context, part.sequence))) continue;
      if (isDue(part)) speculation.choose(part.sequence, part);
    }
  };

  return {
    beginPass(parts) {
      const ready = parts.map(makeRoom).filter((part) => part !== undefined);
      if (ready.length === 0) return undefined;
      for (const { sequence } of ready) start(sequence);
      batch.clear();
      for (const part of ready) addTokens(part);
      const begin = clock.monotonic();
      const fixedThreads = ready.length === 1 && ready.every(dependsOnThreads);
      if (!attempt(ready, () => context.decode(batch, { fixedThreads }))) return undefined;
      const measured = countPass(ready);
      // Before any token is chosen: a sequence that ends moves others to new slots, with what they have evaluated.
      for (const { sequence, count, draft } of ready) {
        sequence.evaluated += count;
        sequence.draftCells = draft.tokens.length;
      }
      return {
        complete() {
          if (measured > 0) measurePrompts(measured, begin);
          chooseTokens(ready);
        },
      };
    },
    evaluateImage(sequence) {
      const { images, evaluated } = sequence;
      const chunk = chunkAt(images, evaluated) as ImageChunk;
      start(sequence);
      const location = { sequence: sequence.slot as number, position: positionOf(images, evaluated) };
      if (!attempt([{ sequence, count: chunk.count }], () => chunk.evaluate(location))) return;
      counters.promptTokensEvaluated += chunk.count;
      counters.promptPasses++;
      sequence.evaluated += chunk.count;
    },
  };
}

function toReady({ sequence, count }: EvaluatedPart, draft: Draft, shifted = false): ReadyPart {
  return { sequence, count, shifted, draft, row: 0 };
}

/** Whether the text could be another one with another number of threads, although its seed was given. */
function dependsOnThreads({ sequence: { seeded, evaluated }, count }: ReadyPart): boolean {
  return seeded && evaluated + count > sameForAnyThreads;
}
