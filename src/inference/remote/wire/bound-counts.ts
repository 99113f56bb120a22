// Bounds what a remote says about its work. Quotas and usage count its tokens, and it could report any number. A token has
// at least one byte, so there are no more tokens than bytes that were sent to it and that came back.

import type { AnswerDone } from '../../model/answer-event.ts';

interface Exchanged {
  /** Bytes of the request. */
  readonly sentBytes: number;
  /** Bytes of the response, also of what is no text: some servers hide the thinking that they count. */
  readonly receivedBytes: number;
}

// Templates and system prompts of the remote.
const maxAddedTokens = 4096;
// Templates and special tokens around a text that is embedded or ranked.
const maxAddedPerText = 256;

export function boundAnswer(done: AnswerDone, { sentBytes, receivedBytes }: Exchanged): AnswerDone {
  const promptTokens = Math.min(done.promptTokens, sentBytes + maxAddedTokens);
  return {
    ...done,
    promptTokens,
    cachedTokens: Math.min(done.cachedTokens, promptTokens),
    generatedTokens: Math.min(done.generatedTokens, receivedBytes),
    promptNanoseconds: Math.min(done.promptNanoseconds, done.totalNanoseconds),
    generateNanoseconds: Math.min(done.generateNanoseconds, done.totalNanoseconds),
  };
}

/** The tokens of texts that were evaluated together, at most as many as the texts can have. */
export function boundTokens(tokens: number, texts: readonly (string | readonly number[])[]): number {
  const most = (text: string | readonly number[]): number =>
    maxAddedPerText + (typeof text === 'string' ? Buffer.byteLength(text) : text.length);
  return Math.min(
    tokens,
    texts.reduce((sum, text) => sum + most(text), 0),
  );
}
