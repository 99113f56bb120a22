// Pictures among the tokens of a sequence. A picture stands there as so many tokens, numbers below zero that come from
// its content; so whatever compares tokens compares pictures. These functions know where they begin and end.

export interface PromptImage {
  /** Below zero: a part of an image. Others: what the model wants to read around it. */
  readonly tokens: readonly number[];
  readonly chunks: readonly ImageChunk[];
}

export interface ImageChunk {
  /** Where it begins among the picture's tokens. */
  readonly offset: number;
  readonly count: number;
  /** How many positions its tokens take; mostly one each. */
  readonly positions: number;
  /** Evaluates it as the next thing in a sequence; `full` where the cache has no room. */
  evaluate(location: { readonly sequence: number; readonly position: number }): 'done' | 'full';
}

export interface PlacedImage {
  readonly start: number;
  readonly image: PromptImage;
}

type PromptImages = readonly PlacedImage[];

interface Span {
  readonly start: number;
  readonly end: number;
}

function spanOf({ start, image }: PlacedImage): Span {
  return { start, end: start + image.tokens.length };
}

function chunksOf(images: PromptImages): (Span & { readonly chunk: ImageChunk })[] {
  return images.flatMap(({ start, image }) =>
    image.chunks.map((chunk) => ({
      start: start + chunk.offset,
      end: start + chunk.offset + chunk.count,
      chunk,
    })),
  );
}

const holds =
  (index: number) =>
  ({ start, end }: Span): boolean =>
    start < index && index < end;

/** The image that begins at this token. */
export function chunkAt(images: PromptImages, index: number): ImageChunk | undefined {
  return chunksOf(images).find(({ start }) => start === index)?.chunk;
}

/** Where the next image begins, from this token on; Infinity where none does. */
export function nextChunk(images: PromptImages, index: number): number {
  return Math.min(
    ...chunksOf(images)
      .map(({ start }) => start)
      .filter((start) => start >= index),
  );
}

/** The position of a token in the cache, which is its index unless images before it take less room there. */
export function positionOf(images: PromptImages, index: number): number {
  return chunksOf(images)
    .filter(({ end }) => end <= index)
    .reduce((position, { chunk }) => position - (chunk.count - chunk.positions), index);
}

/** At most so many tokens, but no image in parts. */
export function wholeChunks(images: PromptImages, length: number): number {
  return chunksOf(images).find(holds(length))?.start ?? length;
}

/** The last border of a picture up to this token. */
export function imageStart(images: PromptImages, index: number): number {
  return images.map(spanOf).find(holds(index))?.start ?? index;
}

/** The first border of a picture from this token on. */
export function imageEnd(images: PromptImages, index: number): number {
  return images.map(spanOf).find(holds(index))?.end ?? index;
}

/** What is left of the pictures where `count` tokens behind the first `keep` go. */
export function withoutRange(images: PromptImages, keep: number, count: number): PlacedImage[] {
  return images
    .filter((positioned) => spanOf(positioned).end <= keep || positioned.start >= keep + count)
    .map(({ start, image }) => ({ start: start >= keep + count ? start - count : start, image }));
}

/** The tokens that are text. */
export function withoutImages(tokens: readonly number[], images: PromptImages): number[] {
  const spans = images.map(spanOf);
  return spans.length === 0
    ? [...tokens]
    : tokens.filter((_, index) => !spans.some(({ start, end }) => start <= index && index < end));
}
