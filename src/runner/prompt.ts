// From what a request says to the tokens that are evaluated: bounded, valid, and no longer than the context.

import { HearthError } from '../kernel/errors.ts';
import type { Vocabulary } from './llama/vocabulary.ts';

export interface PromptRequest {
  readonly context: readonly number[];
  readonly prompt: string;
  readonly numKeep: number;
}

export interface Prompt {
  readonly tokens: number[];
  /** Tokens at the start that stay when the context runs full. */
  readonly keep: number;
  readonly dropped: number;
}

// Hardly a token stands for more characters than this, so a longer text cannot fit whatever its tokens are. What
// lies beyond is cut before it costs the tokeniser, and everyone who waits for it, seconds.
const longestToken = 128;
// A prompt needs room for the answer's first tokens, or the context shifts at once.
const leastRoom = 4;

/** How many tokens a prompt is; of one that is far too long, at least more than fit. */
export function countTokens(vocabulary: Vocabulary, text: string, contextLength: number): number {
  return vocabulary.tokenize(cutMiddle(text, contextLength * longestToken), { addSpecial: true }).length;
}

export function preparePrompt(vocabulary: Vocabulary, request: PromptRequest, contextLength: number): Prompt {
  checkContext(vocabulary, request.context);
  const text = cutMiddle(request.prompt, contextLength * longestToken);
  const tokens = [...request.context, ...vocabulary.tokenize(text, { addSpecial: request.context.length === 0 })];
  settleBos(vocabulary, tokens);
  // A model can be asked for nothing (a raw empty context): it still has to start somewhere.
  if (tokens.length === 0) throw new HearthError('bad_request', 'the prompt has no tokens');

  const bos = vocabulary.addsBos ? 1 : 0;
  const wanted = request.numKeep < 0 ? tokens.length : request.numKeep + bos;
  const keep = Math.max(0, Math.min(wanted, contextLength - leastRoom, tokens.length));
  return tokens.length < contextLength ? { tokens, keep, dropped: 0 } : truncate(tokens, keep, contextLength);
}

/** Keeps the head and as much of the tail as leaves half of the remaining room free. */
export function truncate(tokens: readonly number[], keep: number, contextLength: number): Prompt {
  const tail = Math.max(1, Math.floor((contextLength - keep) / 2));
  const kept = [...tokens.slice(0, keep), ...tokens.slice(-tail)];
  return { tokens: kept, keep, dropped: tokens.length - kept.length };
}

/** At most `most` characters: the beginning and the end. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}${text.slice(-half)}`;
}

// Tokens come back from clients: a number outside the vocabulary would be read as an index into the weights.
function checkContext(vocabulary: Vocabulary, context: readonly number[]): void {
  const stranger = context.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabulary.size);
  if (stranger !== undefined) throw new HearthError('bad_request', `context: ${stranger} is not a token of this model`);
}

// A template may write the beginning-of-text token that the tokeniser adds by itself, and a context returns
// without it.
function settleBos(vocabulary: Vocabulary, tokens: number[]): void {
  if (!vocabulary.addsBos) return;
  const [first, second] = tokens;
  if (first === undefined) return;
  if (vocabulary.isBos(first) && second !== undefined && vocabulary.isBos(second)) tokens.shift();
  if (!vocabulary.isBos(first)) tokens.unshift(...vocabulary.tokenize('', { addSpecial: true }));
}
