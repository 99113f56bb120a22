// The text of the tokens of an answer. Control tokens have none, whatever a model writes, except those that the caller
// needs to find tool calls and thinking.

import type { Vocabulary } from '../../llama/vocabulary.ts';

export interface AnswerPiece {
  readonly bytes: Buffer;
  /** Absent if the bytes are not complete characters: a character may be split between tokens. */
  readonly text: string | undefined;
  /** Without white space at both ends, to find repetitions. A character for each byte. */
  readonly trimmed: string;
}

export type AnswerPieces = (token: number) => AnswerPiece;

interface TokenPiece extends AnswerPiece {
  readonly isControl: boolean;
}

/** The pieces of all tokens of a model. */
export type TokenPieces = (token: number) => TokenPiece;

const nothing: AnswerPiece = { bytes: Buffer.alloc(0), text: '', trimmed: '' };

/** A token is converted once, because answers repeat the same ones. */
export function createTokenPieces({ pieceOf, isControl, size }: PieceSources): TokenPieces {
  const known: (TokenPiece | undefined)[] = new Array(size);
  return (token) => {
    known[token] ??= { ...toAnswerPiece(pieceOf(token)), isControl: isControl(token) };
    return known[token] as TokenPiece;
  };
}

type PieceSources = Pick<Vocabulary, 'pieceOf' | 'isControl' | 'size'>;

export function createAnswerPieces(pieceOf: TokenPieces, keepTokens: readonly string[] = []): AnswerPieces {
  const kept = new Set(keepTokens);
  return (token) => {
    const piece = pieceOf(token);
    return piece.isControl && !kept.has(piece.bytes.toString('utf8')) ? nothing : piece;
  };
}

export function toAnswerPiece(bytes: Buffer): AnswerPiece {
  const text = bytes.toString('utf8');
  const isComplete = Buffer.from(text, 'utf8').equals(bytes);
  return { bytes, text: isComplete ? text : undefined, trimmed: bytes.toString('latin1').trim() };
}
