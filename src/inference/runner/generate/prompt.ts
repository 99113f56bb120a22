// From what a request says to the tokens that are evaluated: bounded, valid, and no longer than the context.

import { HearthError } from '../../../base/errors.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';
import { imageEnd, imageStart, type PlacedImage, type PromptImage, withoutRange } from '../vision/image-positions.ts';

export interface PromptRequest {
  readonly context: readonly number[];
  readonly prompt: string;
  readonly numKeep: number;
  /** False: longer than the context is an error. */
  readonly truncate?: boolean;
  /** By the numbers that stand in the text, as [img-0]; without it, such text is text. */
  readonly encode?: (number: number) => PromptImage | undefined;
}

export interface PreparedPrompt {
  readonly tokens: number[];
  readonly images: PlacedImage[];
  /** Tokens at the start that stay when the context runs full. */
  readonly keep: number;
  readonly dropped: number;
}

// Hardly a token stands for more characters than this, so a longer text cannot fit whatever its tokens are. What
// lies beyond is cut before it costs the tokeniser, and everyone who waits for it, seconds.
const maxToken = 128;
// A prompt needs room for the answer's first tokens, or the context shifts at once.
const minRoom = 4;

export interface CountOptions {
  readonly contextLength: number;
  /** How many pictures stand in the text, and what one takes. */
  readonly images: number;
  readonly imageTokens: number;
}

/** How many tokens a prompt is; of one that is far too long, at least more than fit. Pictures are guessed. */
export function countTokens(vocabulary: Vocabulary, text: string, options: CountOptions): number {
  const { contextLength, images, imageTokens } = options;
  const parts = splitAtImages(cutMiddle(text, contextLength * maxToken), (number) => number < images);
  return parts
    .map((part, index) =>
      typeof part === 'number' ? imageTokens : vocabulary.tokenize(part, { addSpecial: index === 0 }).length,
    )
    .reduce((sum, tokens) => sum + tokens, 0);
}

export function preparePrompt(vocabulary: Vocabulary, request: PromptRequest, contextLength: number): PreparedPrompt {
  checkTokens(vocabulary, request.context);
  const text = cutMiddle(request.prompt, contextLength * maxToken);
  const { tokens, images } = assemble(vocabulary, request, text);
  // A model can be asked for nothing (a raw empty context): it still has to start somewhere.
  if (tokens.length === 0) throw new HearthError('bad_request', 'the prompt has no tokens');

  const bos = vocabulary.addsBos ? 1 : 0;
  const wanted = request.numKeep < 0 ? tokens.length : request.numKeep + bos;
  const most = Math.max(0, Math.min(wanted, contextLength - minRoom, tokens.length));
  const prompt = { tokens, images, keep: imageStart(images, most), dropped: 0 };
  if (tokens.length < contextLength) return prompt;
  if (request.truncate === false) throw tooLong(tokens.length, contextLength);
  return truncatePrompt(prompt, contextLength);
}

function tooLong(tokens: number, contextLength: number): HearthError {
  const message = `the prompt is longer than the context: ${tokens} tokens, and there is room for ${contextLength - 1}`;
  return new HearthError('bad_request', message);
}

/** Keeps the head and as much of the tail as leaves half of the remaining room free. Pictures stay whole or go. */
export function truncatePrompt({ tokens, images, keep }: PreparedPrompt, contextLength: number): PreparedPrompt {
  const widest = images.find(({ image }) => image.tokens.length > contextLength - minRoom)?.image;
  if (widest !== undefined) {
    const size = `a picture takes ${widest.tokens.length} tokens`;
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

const imageMark = /\[img-(\d{1,6})\]/g;

/** Texts, and in between the numbers of the pictures that stand there. Each stands in one place: the first. */
export function splitAtImages(text: string, exists: (number: number) => boolean): (string | number)[] {
  const parts: (string | number)[] = [];
  const seen = new Set<number>();
  let start = 0;
  for (const { 0: mark, 1: digits, index } of text.matchAll(imageMark)) {
    const number = Number(digits);
    if (seen.has(number) || !exists(number)) continue;
    seen.add(number);
    parts.push(text.slice(start, index), number);
    start = index + mark.length;
  }
  return [...parts, text.slice(start)];
}

function assemble(
  vocabulary: Vocabulary,
  { context, encode }: PromptRequest,
  text: string,
): { tokens: number[]; images: PlacedImage[] } {
  const found = new Map<number, PromptImage>();
  const [first = '', ...others] = splitAtImages(text, (number) => {
    const image = encode?.(number);
    if (image !== undefined) found.set(number, image);
    return image !== undefined;
  });
  const tokens = [...context, ...vocabulary.tokenize(String(first), { addSpecial: context.length === 0 })];
  settleBos(vocabulary, tokens);
  const images: PlacedImage[] = [];
  for (const part of others) {
    const image = typeof part === 'number' ? found.get(part) : undefined;
    if (image !== undefined) images.push({ start: tokens.length, image });
    for (const token of image?.tokens ?? vocabulary.tokenize(String(part), { addSpecial: false })) tokens.push(token);
  }
  // An answer begins with what follows a token; nothing follows an image.
  if ((tokens.at(-1) ?? 0) < 0) tokens.push(...vocabulary.tokenize('\n', { addSpecial: false }));
  return { tokens, images };
}

/** At most `most` characters: the beginning and the end. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}${text.slice(-half)}`;
}

// Tokens come back from clients: a number outside the vocabulary would be read as an index into the weights.
export function checkTokens(vocabulary: Pick<Vocabulary, 'size'>, context: readonly number[]): void {
  const stranger = context.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabulary.size);
  if (stranger !== undefined) throw new HearthError('bad_request', `${stranger} is not a token of this model`);
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
