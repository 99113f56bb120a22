import { expect, test } from 'vitest';
import { type Pixels, padToSquare } from './pad-to-square.ts';

/** A letter for each pixel, rows with a slash between them. */
function draw(text: string): Pixels {
  const rows = text.split('/');
  const rgb = Uint8Array.from([...rows.join('')].flatMap((letter) => new Array<number>(3).fill(letter.charCodeAt(0))));
  return { width: rows[0]?.length ?? 0, height: rows.length, rgb };
}

function textOf({ width, height, rgb }: Pixels): string {
  const letterAt = (index: number) => String.fromCharCode(rgb[3 * index] as number);
  const rowAt = (y: number) => Array.from({ length: width }, (_, x) => letterAt(y * width + x)).join('');
  return Array.from({ length: height }, (_, y) => rowAt(y)).join('/');
}

test.each([
  ['a wide image', '...o./.....', '...../...o./...../...../.....'],
  ['a tall image', '.o/../..', '.o./.../...'],
  ['a square image', 'o./..', 'o./..'],
  ['a shape at the edge', '..o./..o.', '..../..o./..o./....'],
  ['a single pixel', 'o', 'o'],
])('%s is in the middle of bars in the color of its edge', (_, image, padded) => {
  expect(textOf(padToSquare(draw(image)))).toBe(padded);
});

test('the memory is bounded, also for a line of pixels', () => {
  const line = { width: 16_384, height: 1, rgb: new Uint8Array(16_384 * 3).fill(9) };
  const { width, height, rgb } = padToSquare(line);
  expect([width, height, rgb.length]).toEqual([1024, 1024, 1024 * 1024 * 3]);
  expect(textOf(padToSquare(draw('abcdefgh'), 4)).split('/')[1]).toBe('aceg');
});
