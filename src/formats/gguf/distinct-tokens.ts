// Finds a token that a vocabulary has twice. llama.cpp aborts at it.

import { malformed, shown } from './byte-reader.ts';

export const tokensKey = 'tokenizer.ggml.tokens';

/** Throws if the bytes of a token are those of an earlier one. llama.cpp gives an empty token a name of its own. */
type CheckToken = (bytes: Buffer, index: number) => void;

export function createTokenCheck(): CheckToken {
  const seen = new Map<string, number>();
  return (bytes, index) => {
    if (bytes.length === 0) return;
    const text = bytes.toString('latin1');
    const first = seen.get(text);
    if (first !== undefined) {
      const name = JSON.stringify(shown(bytes.toString('utf8')));
      throw malformed(`${tokensKey} has ${name} twice, at ${first} and ${index}`);
    }
    seen.set(text, index);
  };
}
