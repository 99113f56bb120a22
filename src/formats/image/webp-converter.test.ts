import { crc32, inflateSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { redWebp } from '../../../test/support/models/webp.ts';
import { systemClock } from '../../base/time/clock.ts';
import { checkImage } from './check-image.ts';
import { createWebpConverter } from './webp-converter.ts';

let converter: ReturnType<typeof createWebpConverter>;
afterEach(() => converter.stop());

test.each([
  ['lossy', redWebp.lossy, [255, 2, 0, 255]],
  ['lossless', redWebp.lossless, [255, 0, 0, 255]],
] as const)('a %s WebP becomes a PNG of the same size and color', async (_, file, color) => {
  converter = createWebpConverter(systemClock);
  const png = await converter.convert(file, 'a');
  expect(await checkImage(png)).toEqual({ format: 'png', width: 64, height: 48 });
  const length = png.readUInt32BE(33);
  const rows = inflateSync(png.subarray(41, 41 + length));
  expect(png.readUInt32BE(41 + length)).toBe(crc32(png.subarray(37, 41 + length)));
  // A filter byte, the first pixel, and then differences of zero.
  expect([...rows.subarray(0, 7)]).toEqual([1, ...color, 0, 0]);
});

test('a damaged file is refused, and the next one is converted', async () => {
  converter = createWebpConverter(systemClock);
  const half = converter.convert(redWebp.lossy.subarray(0, 40), 'a');
  const whole = converter.convert(redWebp.lossy, 'a');
  await expect(half).rejects.toMatchObject({
    code: 'bad_request',
    message: 'the WebP is damaged: it cannot be decoded',
  });
  expect((await whole).length).toBeGreaterThan(50);
});

test('a file that takes too long is refused', async () => {
  converter = createWebpConverter(systemClock, { milliseconds: 0, waiting: 1 });
  await expect(converter.convert(redWebp.lossy, 'a')).rejects.toThrow('takes too long');
});

test('too many images are refused, and a stop ends all', async () => {
  converter = createWebpConverter(systemClock, { milliseconds: 60_000, waiting: 1 });
  const first = converter.convert(redWebp.lossy, 'a').catch((error: unknown) => error);
  const second = converter.convert(redWebp.lossy, 'a').catch((error: unknown) => error);
  await expect(converter.convert(redWebp.lossy, 'a')).rejects.toMatchObject({ code: 'busy' });
  converter.stop();
  expect(await second).toMatchObject({ code: 'shutting_down' });
  await first;
});
