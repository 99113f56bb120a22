// The text of the tokens of an answer. Control tokens have none, whatever a model writes, except those that the caller
// needs to find tool calls and thinking.

import type { Vocabulary } from '../llama/vocabulary.ts';

export type AnswerPieces = (token: number) => Buffer;

const nothing = Buffer.alloc(0);

export function createAnswerPieces(
  vocabulary: Pick<Vocabulary, 'pieceOf' | 'isControl'>,
  keepTokens: readonly string[] = [],
): AnswerPieces {
  const kept = new Set(keepTokens);
  return (token) => {
    const piece = vocabulary.pieceOf(token);
    return vocabulary.isControl(token) && !kept.has(piece.toString('utf8')) ? nothing : piece;
  };
}
