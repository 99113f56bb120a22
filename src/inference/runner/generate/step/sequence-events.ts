// The events that the server receives about a sequence.

import type { DoneEvent, StartedEvent } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { withoutImages } from '../../vision/image-positions.ts';
import type { Sequence } from '../sequence/sequence.ts';

export function toStartedEvent(sequence: Sequence): StartedEvent {
  const { id, promptLength, reused, fromDisk, droppedTokens, tokens, images, unreported } = sequence;
  const disk = fromDisk > 0 ? { diskTokens: fromDisk } : {};
  const ids = unreported ? { promptIds: withoutImages(tokens.slice(0, promptLength), images) } : {};
  const ignored = sequence.isPredicted && sequence.drafters === undefined ? { ignored: ['prediction'] } : {};
  const counts = { promptTokens: promptLength, cachedTokens: reused, ...disk, droppedTokens };
  return { type: 'started', id, ...counts, ...ids, ...ignored };
}

/** `endedAt`: on the clock of the sequence's other times. */
export function toDoneEvent(
  vocabulary: Vocabulary,
  sequence: Sequence,
  { reason, endedAt }: { readonly reason: DoneEvent['reason']; readonly endedAt: number },
): DoneEvent {
  const { text, drafted, modelDrafted, drafters } = sequence;
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
    ...(drafters?.prediction
      ? { predictedTokens: sequence.predicted, predictedAcceptedTokens: sequence.predictedAccepted }
      : {}),
    tokenIds: sequence.unreported && [
      ...sequence.unreported,
      ...(reason === 'stop' ? endOf(vocabulary, sequence) : []),
    ],
    // With the tokens of the prompt, all tokens are reported, so that they can be counted from the end.
    logprobs: sequence.promptScores && sequence.logprobs?.takeRest(),
    context: sequence.wantContext ? contextTokens(vocabulary, sequence) : undefined,
  };
}

/** The token with which the model ended its answer. Its text is not written. */
function endOf(vocabulary: Vocabulary, { tokens }: Sequence): number[] {
  const last = tokens.at(-1);
  return last !== undefined && last >= 0 && vocabulary.isEnd(last) ? [last] : [];
}

// The tokens of a conversation, which the client may send back. They have no BOS token, which the tokenizer adds again,
// and no images, which are not tokens of the vocabulary.
function contextTokens(vocabulary: Vocabulary, sequence: Sequence): number[] {
  const tokens = withoutImages(conversationOf(vocabulary, sequence), sequence.images);
  return vocabulary.addsBos && vocabulary.isBos(tokens[0] as number) ? tokens.slice(1) : tokens;
}

// After a stop sequence the tokens contain text that the client has not received. Then the text that was sent is
// tokenized again. After a context shift this is impossible: it is unknown which tokens belong to the answer.
function conversationOf(vocabulary: Vocabulary, { tokens, text, pure, generated, forced, answer }: Sequence): number[] {
  if (text.stopSequence === undefined || pure !== Number.POSITIVE_INFINITY) return tokens;
  return [
    ...tokens.slice(0, tokens.length - generated - forced),
    ...vocabulary.tokenize(answer, { addSpecial: false }),
  ];
}
