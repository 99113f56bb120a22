// Turns a text into the tokens to embed: with the special tokens that the model expects around a text, and no longer
// than the context.

import { HearthError } from '../../../base/errors.ts';
import type { EmbedCommand } from '../../protocol/messages.ts';
import { checkTokens } from '../generate/sequence/prompt.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';

// Hardly any token has more characters. The rest of a text that is far too long is not tokenized.
export const maxTokenLength = 128;

type Limits = Pick<EmbedCommand, 'truncate' | 'maxTokens'>;

export function createEmbedTokenizer(vocabulary: Vocabulary, contextLength: number) {
  const { head, tail } = frameOf(vocabulary);

  const bodyOf = (text: string): number[] =>
    tokenizeStart((part) => vocabulary.tokenize(part, { addSpecial: false }), text, contextLength);

  /** The tokens without their frame, if they have one. */
  const bareTokens = (tokens: readonly number[]): readonly number[] => {
    checkTokens(vocabulary, tokens);
    const framed = head.every((token, index) => tokens[index] === token);
    const ended =
      tokens.length >= head.length + tail.length &&
      tail.every((token, index) => tokens.at(index - tail.length) === token);
    return framed && ended ? tokens.slice(head.length, tokens.length - tail.length) : tokens;
  };

  return {
    /** At least one token, at most as many as the limits allow. A longer text is cut at the end, or is an error. */
    tokenize(text: string | readonly number[], { truncate, maxTokens = contextLength }: Limits): number[] {
      const room = Math.min(contextLength, maxTokens) - head.length - tail.length;
      const body = typeof text === 'string' ? bodyOf(text) : bareTokens(text);
      if (body.length > room) {
        if (!truncate) throw new HearthError('bad_request', 'the input length exceeds the context length');
        if (room < 1) throw new HearthError('bad_request', 'input after truncation exceeds maximum context length');
      }
      const tokens = [...head, ...body.slice(0, Math.max(0, room)), ...tail];
      // An empty text without special tokens has no vector. A newline stands for it.
      return tokens.length > 0 ? tokens : vocabulary.tokenize('\n', { addSpecial: false }).slice(0, 1);
    },
  };
}

/** The tokens of a text, or more than `limit` of them if the text is too long. */
export function tokenizeStart(tokenize: (text: string) => number[], text: string, limit: number): number[] {
  const start = text.slice(0, limit * maxTokenLength);
  const tokens = tokenize(start);
  // Some tokenizers drop white space, so the rest may be needed.
  return tokens.length > limit || start.length === text.length ? tokens : tokenize(text);
}

/** The tokens that the tokenizer adds before and after a text. */
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
