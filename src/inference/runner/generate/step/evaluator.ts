// Takes sequences through the model: tokens of several sequences in one pass, or one image.

import { HearthError } from '../../../../base/errors.ts';
import type { CountersOf } from '../../../protocol/counters.ts';
import { chunkAt, type ImageChunk, positionOf } from '../../vision/image-positions.ts';
import { closeGaps, shiftContext } from '../kv-cache/context-shift.ts';
import { hasBegun, isGenerating, type Sequence, unscoredLength } from '../sequence/sequence.ts';
import { type Draft, noDraft } from '../speculation/drafter.ts';
import type { AnswerWriter } from './answer-writer.ts';
import { servedBy } from './background.ts';
import type { PromptRate, SharedChunk } from './plan-step.ts';
import { toStartedEvent } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';
import type { TokenChooser } from './token-chooser.ts';

/** The next `count` tokens of a sequence. */
export interface EvaluatedPart {
  readonly sequence: Sequence;
  readonly count: number;
}

interface ReadyPart extends EvaluatedPart {
  /** The context was shifted to make room. */
  readonly shifted: boolean;
  /** Tokens that may come next. They are evaluated in the same pass. */
  readonly draft: Draft;
  /** The row of the last token in the pass. The rows of the draft follow it. */
  row: number;
}

/** A pass that a GPU may still compute. */
export interface StartedPass {
  readonly parts: readonly ReadyPart[];
  readonly promptTokens: number;
  /** What its time is reported to. Absent if it says nothing about prompts. */
  readonly meter: PromptRate | SharedChunk | undefined;
  readonly begunAt: number;
}

// From the next cell on, llama.cpp divides attention between the threads if a sequence is alone, so that sums are rounded
// differently with another number of threads (docs/adr/0038).
const sameForAnyThreads = 256;

export class Evaluator {
  readonly #sources: StepSources;
  readonly #counters: CountersOf<'generation'>;
  readonly #rate: PromptRate;
  readonly #shared: SharedChunk;
  readonly #answers: AnswerWriter;
  readonly #tokens: TokenChooser;

  constructor(
    sources: StepSources,
    {
      counters,
      rate,
      shared,
      answers,
      tokens,
    }: {
      readonly counters: CountersOf<'generation'>;
      readonly rate: PromptRate;
      readonly shared: SharedChunk;
      readonly answers: AnswerWriter;
      readonly tokens: TokenChooser;
    },
  ) {
    this.#sources = sources;
    this.#counters = counters;
    this.#rate = rate;
    this.#shared = shared;
    this.#answers = answers;
    this.#tokens = tokens;
  }

  /** Begins to evaluate the parts. Nothing else may be evaluated before `sample`. Undefined if nothing is evaluated. */
  decode(parts: readonly EvaluatedPart[]): StartedPass | undefined {
    const { batch, clock, context } = this.#sources;
    const ready = parts.map((part) => this.#makeRoom(part)).filter((part) => part !== undefined);
    if (ready.length === 0) return undefined;
    for (const { sequence } of ready) this.#start(sequence);
    batch.clear();
    for (const part of ready) this.#addTokens(part);
    const begunAt = clock.monotonic();
    const fixedThreads = ready.length === 1 && ready.every(dependsOnThreads);
    if (!this.#attempt(ready, () => context.decode(batch, { fixedThreads }))) return undefined;
    const counted = this.#countPass(ready);
    // Before any token is chosen: a sequence that ends moves others to new slots, with what they have evaluated.
    for (const { sequence, count, draft } of ready) {
      sequence.evaluated += count;
      sequence.draftCells = draft.tokens.length;
    }
    return { parts: ready, ...counted, begunAt };
  }

  /** Waits for the logits, and chooses the next token of each sequence that has no more tokens to evaluate. */
  sample({ parts, promptTokens, meter, begunAt }: StartedPass): void {
    const { context, clock } = this.#sources;
    if (meter !== undefined) {
      context.wait();
      meter.observe(promptTokens, clock.monotonic() - begunAt);
    }
    // A sequence may have ended since the pass began.
    const last = parts.filter(({ sequence }) => sequence.slot !== undefined);
    const first = last.map(({ sequence, count }) => sequence.evaluated - count);
    for (const part of last) this.#attempt([part], () => this.#reportPrompt(part));
    const due = last.filter(choosesToken);
    if (!this.#attempt(due, () => this.#chooseAhead(due))) return;
    // The last slot first: when several sequences end, none is moved into the slot of one that also ends.
    for (const part of last.reverse()) {
      if (part.shifted && !this.#attempt([part], () => closeGaps(context, part.sequence))) continue;
      if (choosesToken(part)) this.#tokens.choose(part.sequence, part);
      else if (isDue(part)) this.#endPrompt(part.sequence);
    }
    if (parts.length === 1 && last[0] !== undefined) this.#showHead(last[0], first[0] as number);
  }

  /** Shows a pass to the prediction head. Drafted tokens that were wrong do not belong to it any more. */
  #showHead({ sequence, shifted }: ReadyPart, position: number): void {
    const { head } = this.#sources;
    const { id, slot, evaluated, tokens, drafters } = sequence;
    if (shifted || slot === undefined || drafters?.model === undefined || !head?.wants(tokens.length - evaluated))
      return;
    head.observe({ request: id, position, count: evaluated - position });
  }

  evaluateImage(sequence: Sequence): void {
    const { images, evaluated } = sequence;
    const chunk = chunkAt(images, evaluated) as ImageChunk;
    this.#start(sequence);
    const location = { sequence: sequence.slot as number, position: positionOf(images, evaluated) };
    if (!this.#attempt([{ sequence, count: chunk.count }], () => chunk.evaluate(location))) return;
    this.#counters.promptTokensEvaluated += chunk.count;
    this.#counters.promptPasses++;
    sequence.evaluated += chunk.count;
  }

  #start(sequence: Sequence): void {
    if (sequence.evaluated !== sequence.reused || hasBegun(sequence)) return;
    this.#counters.promptTokensCached += sequence.reused;
    this.#sources.outbox.send(toStartedEvent(sequence));
  }

  /** Makes room for the tokens that are left. If that is impossible, the answer ends and nothing of it is left to evaluate. */
  #makeRoom({ sequence, count }: EvaluatedPart): ReadyPart | undefined {
    const { context, contextLength } = this.#sources;
    let shifted = false;
    while (sequence.tokens.length > contextLength) {
      if (!sequence.shifts || !shiftContext(context, sequence)) {
        this.#answers.endAtLimit(sequence);
        return undefined;
      }
      this.#counters.contextShifts++;
      shifted = true;
    }
    const drafts = isGenerating(sequence) && !shifted;
    return { sequence, count, shifted, draft: drafts ? this.#tokens.draft(sequence) : noDraft, row: 0 };
  }

  #addTokens(part: ReadyPart): void {
    const { sequence, count, draft } = part;
    const { tokens, evaluated, images } = sequence;
    const { batch } = this.#sources;
    const slot = sequence.slot as number;
    const offset = positionOf(images, evaluated) - evaluated;
    const unscored = unscoredLength(sequence);
    for (let index = evaluated; index < evaluated + count; index++) {
      part.row = batch.add({
        token: tokens[index] as number,
        position: index + offset,
        sequence: slot,
        logits: index === tokens.length - 1 || index >= unscored,
      });
    }
    const next = evaluated + count + offset;
    for (const [index, token] of draft.tokens.entries())
      batch.add({ token, position: next + index, sequence: slot, logits: true });
  }

  /** Sends the log probabilities of the tokens that follow those of the part in the prompt. */
  #reportPrompt({ sequence, count, row }: ReadyPart): 'done' {
    const { promptScores, tokens, evaluated, promptLength, id } = sequence;
    if (promptScores === undefined || hasBegun(sequence)) return 'done';
    const { context, outbox } = this.#sources;
    const start = evaluated - count;
    const reported = start === 0 && promptScores.from === 0 ? [promptScores.describeFirst(tokens[0] as number)] : [];
    for (let index = Math.max(start + 1, promptScores.from, 1); index <= evaluated && index < promptLength; index++) {
      const logits = context.logits(row - (evaluated - index));
      reported.push(promptScores.describe(tokens[index] as number, logits, index));
    }
    const distributions = promptScores.takeDistributions();
    if (reported.length > 0) outbox.send({ type: 'prompt', id, tokens: reported, distributions });
    return 'done';
  }

  /** Ends a sequence that has nothing to generate. */
  #endPrompt(sequence: Sequence): void {
    sequence.firstTokenAt = this.#sources.clock.monotonic();
    this.#answers.finish(sequence, 'length');
  }

  /** A failure ends only the sequences of the failed call. */
  #attempt(parts: readonly EvaluatedPart[], evaluate: () => 'done' | 'full'): boolean {
    try {
      // All parts of a pass have the same adapters.
      if (parts[0] !== undefined) this.#sources.useAdapters(parts[0].sequence.adapters.scales);
      if (evaluate() === 'done') return true;
      throw new HearthError('request_failed', 'the KV cache is full');
    } catch (error) {
      this.#answers.write();
      for (const { sequence } of parts) if (sequence.slot !== undefined) this.#answers.fail(sequence, error);
      return false;
    }
  }

  #countPass(parts: readonly EvaluatedPart[]): Pick<StartedPass, 'promptTokens' | 'meter'> {
    let prompts = 0;
    let promptTokens = 0;
    for (const { sequence, count } of parts) {
      if (isGenerating(sequence)) continue;
      prompts++;
      promptTokens += count;
    }
    this.#counters.promptTokensEvaluated += promptTokens;
    if (prompts > 0) this.#counters.promptPasses++;
    if (prompts < parts.length) this.#counters.generatePasses++;
    const { hasDeviceMemory, slots } = this.#sources;
    if (prompts < parts.length) return { promptTokens, meter: undefined };
    const othersWait = hasDeviceMemory && servedBy(slots.live).some(isGenerating);
    return { promptTokens, meter: othersWait ? this.#shared : this.#rate };
  }

  #chooseAhead(due: readonly ReadyPart[]): 'done' {
    this.#sources.choicesAhead.choose(due.length, (index) => {
      const { sequence, row } = due[index] as ReadyPart;
      return sequence.sampler.prepare(row);
    });
    return 'done';
  }
}

function isDue({ sequence }: EvaluatedPart): boolean {
  return sequence.evaluated === sequence.tokens.length;
}

function choosesToken(part: EvaluatedPart): boolean {
  return isDue(part) && !part.sequence.promptOnly;
}

/** Whether the text could be another one with another number of threads, although its seed was given. */
function dependsOnThreads({ sequence: { seeded, evaluated }, count }: ReadyPart): boolean {
  return seeded && evaluated + count > sameForAnyThreads;
}
