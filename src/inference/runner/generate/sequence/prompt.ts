// Turns a request into the tokens to evaluate: valid, and no longer than the context.

import { HearthError } from '../../../../base/errors.ts';
import type { GenerationInput } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import {
  imageEnd,
  imageStart,
  type PlacedImage,
  type PromptImage,
  withoutRange,
} from '../../vision/image-positions.ts';

interface PromptRequest extends Pick<GenerationInput, 'context' | 'prompt' | 'exactTokens' | 'promptLogprobs'> {
  readonly numKeep: number;
  /** False in either: a prompt longer than the context is an error. */
  readonly truncate?: boolean;
  readonly shift?: boolean;
  /** Returns the image for a tag such as [img-0] in the text. Without it, tags are text. */
  readonly encode?: (number: number) => PromptImage | undefined;
}

interface PreparedPrompt {
  readonly tokens: number[];
  readonly images: PlacedImage[];
  /** Tokens at the start that a context shift keeps. */
  readonly keep: number;
  readonly dropped: number;
}

// Hardly any token has more characters, so a longer text cannot fit. The rest is cut off first, because tokenizing it
// would delay all requests for seconds.
const maxTokenLength = 128;
// Room for the first tokens of the answer. Without it the context would shift at once.
const minRoom = 4;

interface CountOptions {
  readonly contextLength: number;
  /** Number of images in the text. */
  readonly images: number;
  /** Estimated tokens per image. */
  readonly imageTokens: number;
}

/** The number of tokens of a prompt. For a prompt that is far too long, any number above the context length. */
export function countTokens(vocabulary: Vocabulary, text: string, options: CountOptions): number {
  const { contextLength, images, imageTokens } = options;
  const parts = splitAtImages(cutMiddle(text, contextLength * maxTokenLength), (number) => number < images);
  return parts
    .map((part, index) =>
      typeof part === 'number' ? imageTokens : vocabulary.tokenize(part, { addSpecial: index === 0 }).length,
    )
    .reduce((sum, tokens) => sum + tokens, 0);
}

export function preparePrompt(vocabulary: Vocabulary, request: PromptRequest, contextLength: number): PreparedPrompt {
  checkTokens(vocabulary, request.context);
  const text = cutMiddle(request.prompt, contextLength * maxTokenLength);
  const { tokens, images } = assemble(vocabulary, request, text);
  if (request.promptLogprobs !== undefined && images.length > 0)
    throw new HearthError('bad_request', 'a prompt with images has no log probabilities');
  // Possible with a raw empty prompt. The model needs a token to start from.
  if (tokens.length === 0) throw new HearthError('bad_request', 'the prompt has no tokens');

  const bos = vocabulary.addsBos ? 1 : 0;
  const requested = request.numKeep < 0 ? tokens.length : request.numKeep + bos;
  const maxKeep = Math.max(0, Math.min(requested, contextLength - minRoom, tokens.length));
  const prompt = { tokens, images, keep: imageStart(images, maxKeep), dropped: 0 };
  if (tokens.length < contextLength) return prompt;
  if (request.truncate === false || request.shift === false || request.promptLogprobs !== undefined)
    throw tooLong(tokens.length, contextLength);
  return truncatePrompt(prompt, contextLength);
}

function tooLong(tokens: number, contextLength: number): HearthError {
  const message = `the prompt is longer than the context: it has ${tokens} tokens, the maximum is ${contextLength - 1}`;
  return new HearthError('prompt_too_long', message);
}

/** Keeps the first `keep` tokens, and fills half of the remaining context with the end. Images are never cut. */
export function truncatePrompt({ tokens, images, keep }: PreparedPrompt, contextLength: number): PreparedPrompt {
  const widest = images.find(({ image }) => image.tokens.length > contextLength - minRoom)?.image;
  if (widest !== undefined) {
    const size = `an image takes ${widest.tokens.length} tokens`;
    throw new HearthError('bad_request', `${size}, which a context of ${contextLength} cannot hold; raise num_ctx`);
  }
  const tail = Math.max(1, Math.floor((contextLength - keep) / 2));
  const dropped = imageEnd(images, tokens.length - tail) - keep;
  return {
    tokens: [...tokens.slice(0, keep), ...tokens.slice(keep + dropped)],
    images: withoutRange(images, keep, dropped),
    keep,
    dropped,
  };
}

const imageTag = /\[img-(\d{1,6})\]/g;

/** Texts, with the numbers of the images between them. Only the first tag of an image counts. */
export function splitAtImages(text: string, exists: (number: number) => boolean): (string | number)[] {
  const parts: (string | number)[] = [];
  const seen = new Set<number>();
  let start = 0;
  for (const { 0: tag, 1: digits, index } of text.matchAll(imageTag)) {
    const number = Number(digits);
    if (seen.has(number) || !exists(number)) continue;
    seen.add(number);
    parts.push(text.slice(start, index), number);
    start = index + tag.length;
  }
  return [...parts, text.slice(start)];
}

function assemble(
  vocabulary: Vocabulary,
  { context, encode, exactTokens }: PromptRequest,
  text: string,
): { tokens: number[]; images: PlacedImage[] } {
  if (exactTokens) return { tokens: [...context], images: [] };
  const found = new Map<number, PromptImage>();
  const [first = '', ...others] = splitAtImages(text, (number) => {
    const image = encode?.(number);
    if (image !== undefined) found.set(number, image);
    return image !== undefined;
  });
  const tokens = [...context, ...vocabulary.tokenize(String(first), { addSpecial: context.length === 0 })];
  normalizeBos(vocabulary, tokens);
  const images: PlacedImage[] = [];
  for (const part of others) {
    const image = typeof part === 'number' ? found.get(part) : undefined;
    if (image !== undefined) images.push({ start: tokens.length, image });
    for (const token of image?.tokens ?? vocabulary.tokenize(String(part), { addSpecial: false })) tokens.push(token);
  }
  // The first token of an answer is chosen by the logits of a token. An image has none.
  if ((tokens.at(-1) ?? 0) < 0) tokens.push(...vocabulary.tokenize('\n', { addSpecial: false }));
  return { tokens, images };
}

/** At most `maxLength` characters: the beginning and the end. */
export function cutMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  return `${text.slice(0, half)}${text.slice(-half)}`;
}

// Clients send tokens. llama.cpp would use a number outside the vocabulary as an index into the weights.
export function checkTokens(vocabulary: Pick<Vocabulary, 'size'>, context: readonly number[]): void {
  const invalid = context.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabulary.size);
  if (invalid !== undefined) throw new HearthError('bad_request', `${invalid} is not a token of this model`);
}

// A template may contain the BOS token that the tokenizer adds, and a context comes back without it.
function normalizeBos(vocabulary: Vocabulary, tokens: number[]): void {
  if (!vocabulary.addsBos) return;
  const [first, second] = tokens;
  if (first === undefined) return;
  if (vocabulary.isBos(first) && second !== undefined && vocabulary.isBos(second)) tokens.shift();
  if (!vocabulary.isBos(first)) tokens.unshift(...vocabulary.tokenize('', { addSpecial: true }));
}
