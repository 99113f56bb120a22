// The events that the server receives about a sequence.

import type { DoneEvent, StartedEvent } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { contextTokens } from '../kv-cache/context-tokens.ts';
import type { Sequence } from '../sequence/sequence.ts';

export function toStartedEvent({ id, promptLength, reused, fromDisk, droppedTokens }: Sequence): StartedEvent {
  const disk = fromDisk > 0 ? { diskTokens: fromDisk } : {};
  return { type: 'started', id, promptTokens: promptLength, cachedTokens: reused, ...disk, droppedTokens };
}

/** `endedAt`: on the clock of the sequence's other times. */
export function toDoneEvent(
  vocabulary: Vocabulary,
  sequence: Sequence,
  { reason, endedAt }: { readonly reason: DoneEvent['reason']; readonly endedAt: number },
): DoneEvent {
  const { text, drafted, modelDrafted } = sequence;
  return {
    type: 'done',
    id: sequence.id,
    reason,
    stopSequence: text.stopSequence,
    promptTokens: sequence.promptLength,
    promptNanoseconds: sequence.firstTokenAt - sequence.admittedAt,
    generatedTokens: sequence.generated,
    thinkingTokens: sequence.thinking?.tokens,
    generateNanoseconds: endedAt - sequence.firstTokenAt - sequence.pausedNanoseconds,
    ...(drafted > 0 ? { draftedTokens: drafted, acceptedTokens: sequence.accepted } : {}),
    ...(modelDrafted > 0 ? { modelDraftedTokens: modelDrafted, modelAcceptedTokens: sequence.modelAccepted } : {}),
    context: sequence.wantContext ? contextTokens(vocabulary, sequence) : undefined,
  };
}
