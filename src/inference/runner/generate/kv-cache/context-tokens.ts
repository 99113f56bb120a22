// The tokens of a conversation, for the client that may send them back: without the one that begins every text, which
// comes by itself next time, and without pictures, which are no tokens of the vocabulary.

import type { Vocabulary } from '../../llama/vocabulary.ts';
import { withoutImages } from '../../vision/image-positions.ts';
import type { Sequence } from '../sequence.ts';

export function contextTokens(vocabulary: Vocabulary, sequence: Sequence): number[] {
  const tokens = withoutImages(conversationOf(vocabulary, sequence), sequence.images);
  return vocabulary.addsBos && vocabulary.isBos(tokens[0] as number) ? tokens.slice(1) : tokens;
}

// Where a stop text cut the answer, its tokens say more than the client has seen: then the text counts. (After a
// context shift it is no longer known which tokens those were.)
function conversationOf(vocabulary: Vocabulary, { tokens, text, pure, generated, answer }: Sequence): number[] {
  if (text.stopSequence === undefined || pure !== Number.POSITIVE_INFINITY) return tokens;
  return [...tokens.slice(0, tokens.length - generated), ...vocabulary.tokenize(answer, { addSpecial: false })];
}
