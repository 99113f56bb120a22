import { describe, expect, test } from 'vitest';
import {
  chunkAt,
  completeChunks,
  imageEnd,
  imageStart,
  nextChunk,
  type PlacedImage,
  positionOf,
  withoutImages,
  withoutRange,
} from './image-positions.ts';

/** Ten tokens: one before, two images of four, one after. */
const image: PlacedImage['image'] = {
  tokens: [7, -1, -2, -3, -4, -5, -6, -7, -8, 9],
  chunks: [1, 5].map((offset) => ({
    offset,
    count: 4,
    positions: 2,
    prepare: () => true,
    evaluate: () => 'done' as const,
  })),
};
const images: readonly PlacedImage[] = [
  { start: 3, image },
  { start: 20, image },
];

test('chunks are found by their first token', () => {
  expect(chunkAt(images, 4)).toBe(image.chunks[0]);
  expect(chunkAt(images, 25)).toBe(image.chunks[1]);
  for (const index of [0, 3, 5, 12, 20]) expect(chunkAt(images, index)).toBeUndefined();
  expect([0, 4, 5, 9, 26].map((index) => nextChunk(images, index))).toEqual([4, 4, 8, 21, Number.POSITIVE_INFINITY]);
});

test('positions are smaller than indexes after images with fewer positions than tokens', () => {
  expect([0, 4, 8, 12, 13, 20, 21, 25, 29, 40].map((index) => positionOf(images, index))).toEqual([
    0, 4, 6, 8, 9, 16, 17, 19, 21, 32,
  ]);
});

describe('borders', () => {
  test('of chunks, for reuse', () => {
    expect([3, 4, 5, 7, 8, 11, 12, 13].map((length) => completeChunks(images, length))).toEqual([
      3, 4, 4, 4, 8, 8, 12, 13,
    ]);
  });

  test('of images, for truncation', () => {
    expect([3, 4, 12, 13, 21].map((index) => imageStart(images, index))).toEqual([3, 3, 3, 13, 20]);
    expect([3, 4, 12, 13, 21].map((index) => imageEnd(images, index))).toEqual([3, 13, 13, 13, 30]);
  });
});

test('images in a removed range are removed, later ones move up', () => {
  expect(withoutRange(images, 1, 14).map(({ start }) => start)).toEqual([6]);
  expect(withoutRange(images, 13, 5).map(({ start }) => start)).toEqual([3, 15]);
  expect(withoutRange(images, 0, 30)).toEqual([]);
});

test('the text around images', () => {
  const tokens = Array.from({ length: 32 }, (_, index) => index);
  expect(withoutImages(tokens, images)).toEqual([0, 1, 2, 13, 14, 15, 16, 17, 18, 19, 30, 31]);
  expect(withoutImages(tokens, [])).toEqual(tokens);
});
