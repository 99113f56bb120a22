// Writes the text of chosen tokens and ends sequences: at a stop sequence, at a limit, or if they repeat themselves. Mostly
// the tokens of a moment are written together, right before they are sent: after a pass, little of this code is left in the
// caches of the processor. A GPU computes the next pass meanwhile, so that it takes no time there. A sequence that ends then
// was evaluated in vain once.

import type { DoneEvent, TokenLogprob } from '../../../protocol/messages.ts';
import { dropDraft } from '../kv-cache/context-shift.ts';
import type { Sequence } from '../sequence/sequence.ts';
import { toDoneEvent } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';

// The first tokens of an answer are not collected, so that a short answer of a fast model is a stream too.
const tokensSentAtOnce = 6;

export class AnswerWriter {
  readonly #sources: Pick<StepSources, 'context' | 'vocabulary' | 'slots' | 'outbox' | 'clock'>;
  /** Sequences with unwritten tokens, and some that have ended since. */
  readonly #waiting = new Set<Sequence>();
  /** Sequences whose last token may repeat the ones before it. */
  readonly #unchecked: Sequence[] = [];
  #isUrgent = false;
  #hasFirst = false;

  constructor(sources: Pick<StepSources, 'context' | 'vocabulary' | 'slots' | 'outbox' | 'clock'>) {
    this.#sources = sources;
  }

  /** The last token of the sequence is to be written. */
  add(sequence: Sequence): void {
    sequence.unwritten.push(sequence.tokens.at(-1) as number);
    this.#waiting.add(sequence);
    this.#unchecked.push(sequence);
    this.#isUrgent ||= isSentAtOnce(sequence);
    this.#hasFirst ||= sequence.generated === 1;
  }

  /** Writes all tokens that were added. */
  write(): void {
    this.#endRepetitions();
    this.#isUrgent = false;
    this.#hasFirst = false;
    for (const sequence of this.#waiting) this.#writeOne(sequence);
  }

  /** Writes all tokens if text is to be sent now. Otherwise only those that may end their sequence. */
  writeDue(): void {
    if (this.#waiting.size === 0) return;
    this.#endRepetitions();
    if (this.#isUrgent || this.#sources.outbox.isDue()) this.write();
    else for (const sequence of this.#waiting) this.#checkStop(sequence);
  }

  /** Writes all tokens if one is the first of its answer. Returns whether it was so. */
  writeFirst(): boolean {
    const isFirst = this.#hasFirst;
    if (isFirst) this.write();
    return isFirst;
  }

  /** Writes a text that the model did not choose, after its tokens. Their text may end the sequence. */
  force(sequence: Sequence, text: string): void {
    this.#endRepetitions();
    this.#writeOne(sequence);
    if (sequence.slot === undefined) return;
    const ready = sequence.text.force(text);
    this.#send(sequence, ready, sequence.logprobs?.take(ready.slice(0, ready.length - text.length)));
  }

  /** Ends a sequence whose last tokens end it: with a stop sequence, or by repeating themselves. */
  check(sequence: Sequence): void {
    this.#endRepetitions();
    this.#checkStop(sequence);
  }

  /** Ends a sequence at a limit, unless its last tokens end it. */
  endAtLimit(sequence: Sequence): void {
    this.check(sequence);
    if (sequence.slot !== undefined) this.finish(sequence, 'length');
  }

  finish(sequence: Sequence, reason: DoneEvent['reason']): void {
    const { vocabulary, outbox, clock } = this.#sources;
    this.#writeText(sequence, true);
    outbox.send(toDoneEvent(vocabulary, sequence, { reason, endedAt: clock.monotonic() }));
    this.release(sequence);
  }

  fail(sequence: Sequence, error: unknown): void {
    this.#writeText(sequence, false);
    // A failed pass may have changed its cells: nothing of them is reused.
    sequence.pure = 0;
    this.#sources.outbox.fail(sequence.id, error);
    this.release(sequence);
  }

  /** Ends a sequence without an event: frees its slot, its sampler and its images. */
  release(sequence: Sequence): void {
    // The prefix cache does not keep it.
    dropDraft(this.#sources.context, sequence);
    this.#sources.slots.release(sequence);
    sequence.sampler.free();
    sequence.releaseImages();
  }

  #writeOne(sequence: Sequence): void {
    this.#waiting.delete(sequence);
    // The sequence has ended, with all its text.
    if (sequence.unwritten.length === 0) return;
    this.#writeText(sequence, false);
    if (sequence.text.stopSequence !== undefined) this.finish(sequence, 'stop');
  }

  #checkStop(sequence: Sequence): void {
    if (sequence.text.canStop || sequence.unwritten.length === 0) this.#writeOne(sequence);
  }

  #endRepetitions(): void {
    for (const sequence of this.#unchecked) {
      const { guard, pieceOf, tokens } = sequence;
      if (!guard.exceeds(pieceOf(tokens.at(-1) as number).trimmed)) continue;
      this.#checkStop(sequence);
      if (sequence.slot !== undefined) this.finish(sequence, 'length');
    }
    this.#unchecked.length = 0;
  }

  /** Writes the tokens that were not written yet, and at the end also the text that was held back. */
  #writeText(sequence: Sequence, atEnd: boolean): void {
    const { text, unwritten, pieceOf, logprobs: log } = sequence;
    const logprobs: TokenLogprob[] | undefined = log && [];
    let ready = '';
    const add = (part: string, written?: number): void => {
      if (part === '') return;
      ready += part;
      // For each token, so that it does not matter how many are written together.
      if (log !== undefined) logprobs?.push(...log.take(part, written));
    };
    for (const token of unwritten) add(text.push(pieceOf(token)), ++sequence.written);
    sequence.unreported?.push(...unwritten);
    unwritten.length = 0;
    if (atEnd) add(text.finish());
    this.#send(sequence, ready, logprobs);
  }

  #send(sequence: Sequence, text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    if (sequence.wantContext) sequence.answer += text;
    const { id, generated: generatedTokens, unreported } = sequence;
    const tokenIds = text === '' ? undefined : unreported?.splice(0);
    this.#sources.outbox.text(id, text, { logprobs, tokenIds, generatedTokens, atOnce: isSentAtOnce(sequence) });
  }
}

/** Whether the text of the last token is not collected. */
function isSentAtOnce({ generated }: Sequence): boolean {
  return generated <= tokensSentAtOnce;
}
