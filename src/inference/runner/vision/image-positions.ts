// Pictures among the tokens of a sequence. A picture stands there as so many tokens, numbers below zero that come from
// its content; so whatever compares tokens compares pictures. These functions know where they begin and end.

export interface Picture {
  /** Below zero: a part of an image. Others: what the model wants to read around it. */
  readonly tokens: readonly number[];
  readonly images: readonly PictureImage[];
}

export interface PictureImage {
  /** Where it begins among the picture's tokens. */
  readonly offset: number;
  readonly count: number;
  /** How many positions its tokens take; mostly one each. */
  readonly positions: number;
  /** Evaluates it as the next thing in a sequence; `full` where the cache has no room. */
  evaluate(place: { readonly sequence: number; readonly position: number }): 'done' | 'full';
}

export interface PlacedPicture {
  readonly start: number;
  readonly picture: Picture;
}

type Pictures = readonly PlacedPicture[];

interface Span {
  readonly start: number;
  readonly end: number;
}

function spanOf({ start, picture }: PlacedPicture): Span {
  return { start, end: start + picture.tokens.length };
}

function imagesOf(pictures: Pictures): (Span & { readonly image: PictureImage })[] {
  return pictures.flatMap(({ start, picture }) =>
    picture.images.map((image) => ({
      start: start + image.offset,
      end: start + image.offset + image.count,
      image,
    })),
  );
}

const holds =
  (index: number) =>
  ({ start, end }: Span): boolean =>
    start < index && index < end;

/** The image that begins at this token. */
export function imageAt(pictures: Pictures, index: number): PictureImage | undefined {
  return imagesOf(pictures).find(({ start }) => start === index)?.image;
}

/** Where the next image begins, from this token on; Infinity where none does. */
export function nextImage(pictures: Pictures, index: number): number {
  return Math.min(
    ...imagesOf(pictures)
      .map(({ start }) => start)
      .filter((start) => start >= index),
  );
}

/** The position of a token in the cache, which is its index unless images before it take less room there. */
export function positionOf(pictures: Pictures, index: number): number {
  return imagesOf(pictures)
    .filter(({ end }) => end <= index)
    .reduce((position, { image }) => position - (image.count - image.positions), index);
}

/** At most so many tokens, but no image in parts. */
export function wholeImages(pictures: Pictures, length: number): number {
  return imagesOf(pictures).find(holds(length))?.start ?? length;
}

/** The last border of a picture up to this token. */
export function pictureStart(pictures: Pictures, index: number): number {
  return pictures.map(spanOf).find(holds(index))?.start ?? index;
}

/** The first border of a picture from this token on. */
export function pictureEnd(pictures: Pictures, index: number): number {
  return pictures.map(spanOf).find(holds(index))?.end ?? index;
}

/** What is left of the pictures where `count` tokens behind the first `keep` go. */
export function withoutRange(pictures: Pictures, keep: number, count: number): PlacedPicture[] {
  return pictures
    .filter((placed) => spanOf(placed).end <= keep || placed.start >= keep + count)
    .map(({ start, picture }) => ({ start: start >= keep + count ? start - count : start, picture }));
}

/** The tokens that are text. */
export function withoutPictures(tokens: readonly number[], pictures: Pictures): number[] {
  const spans = pictures.map(spanOf);
  return spans.length === 0
    ? [...tokens]
    : tokens.filter((_, index) => !spans.some(({ start, end }) => start <= index && index < end));
}
