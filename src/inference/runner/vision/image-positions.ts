// Images among the tokens of a sequence. The tokens of an image are negative numbers derived from its content, so code
// that compares tokens compares images too. These functions find where images begin and end. Some are called for every
// token, and most sequences have no images.

export interface PromptImage {
  /** Negative: part of the image. Others: text that the model expects around it. */
  readonly tokens: readonly number[];
  readonly chunks: readonly ImageChunk[];
}

export interface ImageChunk {
  /** Index of its first token among those of the image. */
  readonly offset: number;
  readonly count: number;
  /** Positions of its tokens; mostly one each. */
  readonly positions: number;
  /** Begins to encode it, if that is necessary. False while it is encoded. */
  prepare(): boolean;
  /** Appends it to a sequence, after `prepare` has returned true. `full`: the KV cache has no room. */
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

const contains =
  (index: number) =>
  ({ start, end }: Span): boolean =>
    start < index && index < end;

/** The chunk that begins at this token. */
export function chunkAt(images: PromptImages, index: number): ImageChunk | undefined {
  if (images.length === 0) return undefined;
  return chunksOf(images).find(({ start }) => start === index)?.chunk;
}

/** The start of the next chunk, from this token on; Infinity if there is none. */
export function nextChunk(images: PromptImages, index: number): number {
  if (images.length === 0) return Number.POSITIVE_INFINITY;
  return Math.min(
    ...chunksOf(images)
      .map(({ start }) => start)
      .filter((start) => start >= index),
  );
}

/** The position of a token in the KV cache: its index, unless images before it take fewer positions than tokens. */
export function positionOf(images: PromptImages, index: number): number {
  if (images.length === 0) return index;
  return chunksOf(images)
    .filter(({ end }) => end <= index)
    .reduce((position, { chunk }) => position - (chunk.count - chunk.positions), index);
}

/** At most `length` tokens, without a part of a chunk at the end. */
export function completeChunks(images: PromptImages, length: number): number {
  return chunksOf(images).find(contains(length))?.start ?? length;
}

/** The index, or the start of the image that contains it. */
export function imageStart(images: PromptImages, index: number): number {
  return images.map(spanOf).find(contains(index))?.start ?? index;
}

/** The index, or the end of the image that contains it. */
export function imageEnd(images: PromptImages, index: number): number {
  return images.map(spanOf).find(contains(index))?.end ?? index;
}

/** The remaining images if `count` tokens after the first `keep` are removed. */
export function withoutRange(images: PromptImages, keep: number, count: number): PlacedImage[] {
  return images
    .filter((positioned) => spanOf(positioned).end <= keep || positioned.start >= keep + count)
    .map(({ start, image }) => ({ start: start >= keep + count ? start - count : start, image }));
}

/** The tokens of the text. */
export function withoutImages(tokens: readonly number[], images: PromptImages): number[] {
  const spans = images.map(spanOf);
  return spans.length === 0
    ? [...tokens]
    : tokens.filter((_, index) => !spans.some(({ start, end }) => start <= index && index < end));
}
