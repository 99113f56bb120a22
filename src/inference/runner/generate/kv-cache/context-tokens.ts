// The tokens of a conversation, which the client may send back. They have no BOS token, which the tokenizer adds again,
// and no images, which are not tokens of the vocabulary.

import type { Vocabulary } from '../../llama/vocabulary.ts';
import { withoutImages } from '../../vision/image-positions.ts';
import type { Sequence } from '../sequence/sequence.ts';

export function contextTokens(vocabulary: Vocabulary, sequence: Sequence): number[] {
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
