// From a text to the tokens that become a vector: framed by the special tokens that the model wants around a text, and
// no longer than its context.

import { HearthError } from '../../../base/errors.ts';
import { checkTokens } from '../generate/prompt.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';

export interface EmbedTokenizer {
  /** At least one token and at most as many as the context holds. A longer text loses its end, or is an error. */
  tokenize(text: string | readonly number[], options: { readonly truncate: boolean }): number[];
}

// Hardly a token stands for more characters than this. Of a text that is much longer than fits, the rest is not looked
// at.
const maxToken = 128;

export function createEmbedTokenizer(vocabulary: Vocabulary, contextLength: number): EmbedTokenizer {
  const { head, tail } = frameOf(vocabulary);
  const room = contextLength - head.length - tail.length;

  const bodyOf = (text: string): number[] => {
    const enough = text.slice(0, contextLength * maxToken);
    const beginning = vocabulary.tokenize(enough, { addSpecial: false });
    // Blanks may be no tokens at all, however many they are.
    if (beginning.length > room || enough.length === text.length) return beginning;
    return vocabulary.tokenize(text, { addSpecial: false });
  };

  /** Tokens that came as such, without the frame if they have it. */
  const bareTokens = (tokens: readonly number[]): readonly number[] => {
    checkTokens(vocabulary, tokens);
    const framed = head.every((token, index) => tokens[index] === token);
    const ended =
      tokens.length >= head.length + tail.length &&
      tail.every((token, index) => tokens.at(index - tail.length) === token);
    return framed && ended ? tokens.slice(head.length, tokens.length - tail.length) : tokens;
  };

  return {
    tokenize(text, { truncate }) {
      const body = typeof text === 'string' ? bodyOf(text) : bareTokens(text);
      if (body.length > room) {
        if (!truncate) throw new HearthError('bad_request', 'the input length exceeds the context length');
        if (room < 1) throw new HearthError('bad_request', 'input after truncation exceeds maximum context length');
      }
      const tokens = [...head, ...body.slice(0, Math.max(0, room)), ...tail];
      // Nothing has no vector: a model without special tokens is shown an empty line instead.
      return tokens.length > 0 ? tokens : vocabulary.tokenize('\n', { addSpecial: false }).slice(0, 1);
    },
  };
}

/** What the tokeniser puts before and after a text. */
function frameOf(vocabulary: Vocabulary): { readonly head: number[]; readonly tail: number[] } {
  const bare = vocabulary.tokenize('a', { addSpecial: false });
  const framed = vocabulary.tokenize('a', { addSpecial: true });
  const extra = framed.length - bare.length;
  const start = Array.from({ length: extra + 1 }, (_, offset) => offset).find((offset) =>
    bare.every((token, index) => framed[offset + index] === token),
  );
  const end = (start ?? extra) + bare.length;
  return { head: framed.slice(0, start ?? extra), tail: framed.slice(end) };
}
