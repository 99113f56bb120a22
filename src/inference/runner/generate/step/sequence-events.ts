// The events that the server receives about a sequence.

import type { DoneEvent, StartedEvent, TokenLogprob } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { Outbox } from '../../outbox.ts';
import { contextTokens } from '../kv-cache/context-tokens.ts';
import type { Sequence } from '../sequence.ts';

export function toStartedEvent({ id, promptLength, reused, fromDisk, droppedTokens }: Sequence): StartedEvent {
  const disk = fromDisk > 0 ? { diskTokens: fromDisk } : {};
  return { type: 'started', id, promptTokens: promptLength, cachedTokens: reused, ...disk, droppedTokens };
}

// The first tokens of an answer are not collected, so that a short answer of a fast model is a stream too.
const tokensSentAtOnce = 6;

/** Whether the text of the last token is not collected. */
export function isSentAtOnce({ generated }: Sequence): boolean {
  return generated <= tokensSentAtOnce;
}

/** Writes the tokens that were not written yet, and at the end also the text that was held back. */
export function writeText(outbox: Outbox, sequence: Sequence, { atEnd }: { readonly atEnd: boolean }): void {
  const { text, unwritten, pieceOf, generated: generatedTokens, logprobs: log } = sequence;
  const logprobs: TokenLogprob[] | undefined = log && [];
  let ready = '';
  const add = (part: string, written?: number): void => {
    if (part === '') return;
    ready += part;
    // For each token, so that it does not matter how many are written together.
    if (log !== undefined) logprobs?.push(...log.take(part, written));
  };
  for (const token of unwritten) add(text.push(pieceOf(token)), ++sequence.written);
  unwritten.length = 0;
  if (atEnd) add(text.finish());
  if (sequence.wantContext) sequence.answer += ready;
  outbox.text(sequence.id, ready, { logprobs, generatedTokens, atOnce: isSentAtOnce(sequence) });
}

/** Writes a text that the model did not choose. No tokens wait to be written. */
export function writeForced(outbox: Outbox, sequence: Sequence, text: string): void {
  const ready = sequence.text.force(text);
  const logprobs = sequence.logprobs?.take(ready.slice(0, ready.length - text.length));
  if (sequence.wantContext) sequence.answer += ready;
  outbox.text(sequence.id, ready, { logprobs, generatedTokens: sequence.generated, atOnce: isSentAtOnce(sequence) });
}

export interface SequenceEnd {
  readonly reason: DoneEvent['reason'];
  /** Nanoseconds, on the clock of the sequence's other times. */
  readonly endedAt: number;
}

export function toDoneEvent(vocabulary: Vocabulary, sequence: Sequence, { reason, endedAt }: SequenceEnd): DoneEvent {
  const { stopSequence } = sequence.text;
  return {
    type: 'done',
    id: sequence.id,
    reason,
    ...(stopSequence === undefined ? {} : { stopSequence }),
    promptTokens: sequence.promptLength,
    promptNanoseconds: sequence.firstTokenAt - sequence.admittedAt,
    generatedTokens: sequence.generated,
    thinkingTokens: sequence.thinking?.tokens,
    generateNanoseconds: endedAt - sequence.firstTokenAt - sequence.pausedNanoseconds,
    ...(sequence.drafted > 0 ? { draftedTokens: sequence.drafted, acceptedTokens: sequence.accepted } : {}),
    ...(sequence.modelDrafted > 0
      ? { modelDraftedTokens: sequence.modelDrafted, modelAcceptedTokens: sequence.modelAccepted }
      : {}),
    ...(sequence.wantContext ? { context: contextTokens(vocabulary, sequence) } : {}),
  };
}
