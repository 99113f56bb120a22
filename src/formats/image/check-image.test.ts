import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  colors,
  drawBmp,
  drawGif,
  drawJpeg,
  drawPng,
  encodeJpeg,
  encodePng,
  pngChunk,
} from '../../../test/support/models/draw.ts';
import { redWebp } from '../../../test/support/models/webp.ts';
import { HearthError } from '../../base/errors.ts';
import { checkImage } from './check-image.ts';

const circle = { shape: 'circle', color: colors.red } as const;
const scan = Buffer.from([1, 2, 3]);

const refusal = async (bytes: Uint8Array): Promise<string> => {
  try {
    await checkImage(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(HearthError);
    expect(error).toMatchObject({ code: 'bad_request' });
    return (error as HearthError).message;
  }
  throw new Error('it was accepted');
};

describe('images', () => {
  test('size of all formats', async () => {
    expect(await checkImage(drawPng({ ...circle, width: 30, height: 20 }))).toEqual({
      format: 'png',
      width: 30,
      height: 20,
    });
    expect(await checkImage(drawJpeg({ ...circle, width: 64, height: 32 }))).toEqual({
      format: 'jpeg',
      width: 64,
      height: 32,
    });
    const small = { ...circle, width: 31, height: 17 };
    expect(await checkImage(drawGif(small))).toEqual({ format: 'gif', width: 31, height: 17 });
    expect(await checkImage(drawBmp(small))).toEqual({ format: 'bmp', width: 31, height: 17 });
    for (const file of Object.values(redWebp))
      expect(await checkImage(file)).toEqual({ format: 'webp', width: 64, height: 48 });
  });

  test.each([
    ['one bit a pixel', { width: 9, height: 3, bitDepth: 1, colorType: 0 }, 3 * 3],
    ['a palette of sixteen', { width: 3, height: 2, bitDepth: 4, colorType: 3 }, 2 * 3],
    ['sixteen bits with transparency', { width: 2, height: 2, bitDepth: 16, colorType: 6 }, 2 * 17],
    // Five of the seven passes have pixels: 1, 1, 2, two rows of 1, and 3.
    ['interlaced, of 3 x 3', { width: 3, height: 3, interlaced: true }, 4 + 4 + 7 + (4 + 4) + 10],
  ])('PNG: %s', async (_, parts, bytes) => {
    expect(await checkImage(encodePng({ ...parts, data: deflateSync(Buffer.alloc(bytes)) }))).toMatchObject({
      format: 'png',
    });
    expect(await refusal(encodePng({ ...parts, data: deflateSync(Buffer.alloc(bytes - 1)) }))).toContain('missing');
  });

  test('BMP: pixels that the file does not have, and compression', async () => {
    const file = drawBmp({ ...circle, width: 8, height: 8 });
    expect(await refusal(file.subarray(0, -1))).toContain('pixels are missing');
    expect(await refusal(file.subarray(0, 40))).toContain('it has no header');
    file.writeInt32LE(30_000, 18);
    expect(await refusal(file)).toContain('too large');
    file.writeInt32LE(-8, 18);
    expect(await refusal(file)).toContain('damaged');
    file.writeUInt32LE(1, 30);
    expect(await refusal(file)).toContain('a compressed BMP is not supported');
  });

  test('GIF: sides', async () => {
    const file = drawGif({ ...circle, width: 8, height: 8 });
    expect(await refusal(file.subarray(0, 9))).toContain('it has no header');
    file.writeUInt16LE(0, 6);
    expect(await refusal(file)).toContain('0 x 8 pixels');
    file.writeUInt32LE(0xffff_ffff, 6);
    expect(await refusal(file)).toContain('too large');
  });

  test.each([
    ['progressive', encodeJpeg({ width: 8, height: 8, marker: 0xc2, scans: [scan, scan, scan] })],
    ['without an end', encodeJpeg({ width: 8, height: 8, scans: [scan] }).subarray(0, -2)],
    ['with restarts and fillers', encodeJpeg({ width: 8, height: 8, scans: [Buffer.from([0xff, 0xd0, 0xff, 0])] })],
  ])('JPEG: %s', async (_, bytes) => {
    expect(await checkImage(bytes)).toEqual({ format: 'jpeg', width: 8, height: 8 });
  });
});

describe('refuses images above a limit', () => {
  test.each([
    ['bytes', Buffer.alloc(20 * 2 ** 20 + 1), '20.0 MiB is too large (at most 20 MiB)'],
    [
      'a side',
      encodePng({ width: 100_000, height: 2, data: scan }),
      'a PNG of 100000 x 2 pixels is too large (at most 16384 per side and 50 million in all)',
    ],
    ['pixels', encodePng({ width: 10_000, height: 10_000, data: scan }), 'a PNG of 10000 x 10000 pixels is too large'],
    ['pixels of a JPEG', encodeJpeg({ width: 65_535, height: 65_535, scans: [scan] }), 'a JPEG of 65535 x 65535'],
    ['scans', encodeJpeg({ width: 8, height: 8, marker: 0xc2, scans: new Array(65).fill(scan) }), 'more than 64 scans'],
    [
      'a decompression bomb: 100 MB in 100 kB',
      encodePng({ width: 10, height: 10, data: deflateSync(Buffer.alloc(100_000_000)) }),
      'the PNG decompresses to more than its header declares',
    ],
    [
      'chunks',
      Buffer.concat([drawPng(circle).subarray(0, 33), ...new Array(20_001).fill(pngChunk('IDAT', Buffer.alloc(0)))]),
      'too many chunks',
    ],
  ])('%s', async (_, bytes, message) => {
    expect(await refusal(bytes)).toContain(message);
  });
});

describe('refuses files that are not images', () => {
  test.each([
    ['nothing', '', 'the format is unknown: send a PNG, a JPEG, a WebP, a GIF or a BMP'],
    ['text', 'hello', 'the format is unknown'],
    ['a WebP without a frame', 'RIFF\x10\0\0\0WEBPVP8 ', 'the WebP is damaged: it has no frame'],
    ['a WebP of another kind', 'RIFF\x10\0\0\0WEBPXXXX', 'the WebP is damaged: it has no frame'],
    ['an animated WebP', 'RIFF\x10\0\0\0WEBPVP8X\x0a\0\0\0\x02', 'an animated WebP is not supported'],
    [
      'a WebP above the limits',
      'RIFF\x10\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff',
      'a WebP of 16777216 x 16777216 pixels is too large',
    ],
    ['HEIC', '\0\0\0\x18ftypheic', 'a HEIC or AVIF is not supported'],
    ['SVG', '<svg xmlns=""/>', 'an SVG is not supported'],
    ['half a signature', '\x89PNG\r\n', 'the format is unknown'],
    ['a signature alone', '\x89PNG\r\n\x1a\n', 'the PNG is damaged: it has no header'],
    ['a JPEG signature alone', '\xff\xd8\xff', 'the JPEG is damaged: it has no frame'],
  ])('%s', async (_, bytes, message) => {
    expect(await refusal(Buffer.from(bytes, 'latin1'))).toContain(message);
  });

  const png = drawPng(circle);
  const jpeg = drawJpeg(circle);
  test.each([
    ['a truncated PNG', png.subarray(0, png.length - 20), 'it is truncated'],
    ['a PNG without an end', png.subarray(0, png.length - 12), 'it has no IEND chunk'],
    [
      'a PNG with an invalid color type',
      encodePng({ width: 1, height: 1, colorType: 5, data: scan }),
      'its header is invalid',
    ],
    ['a PNG of no size', encodePng({ width: 0, height: 1, data: scan }), 'it is 0 x 1 pixels'],
    [
      'a PNG whose data is noise',
      encodePng({ width: 1, height: 1, data: scan }),
      'the PNG is damaged: incorrect header',
    ],
    ['a JPEG that ends in its frame', jpeg.subarray(0, 80), 'it is truncated'],
    ['a JPEG of no height', encodeJpeg({ width: 8, height: 0, scans: [scan] }), 'it is 8 x 0 pixels'],
    ['a JPEG without a scan', encodeJpeg({ width: 8, height: 8, scans: [] }), 'it has no scan'],
    ['a lossless JPEG', encodeJpeg({ width: 8, height: 8, marker: 0xc3, scans: [scan] }), 'baseline or a progressive'],
  ])('%s', async (_, bytes, message) => {
    expect(await refusal(bytes)).toContain(message);
  });
});

test('random files are accepted or refused with a HearthError', { timeout: 60_000 }, async () => {
  const seeds = [
    drawPng({ ...circle, width: 20, height: 20 }),
    drawJpeg({ ...circle, width: 32, height: 32 }),
    redWebp.lossy,
    redWebp.lossless,
    encodeJpeg({ width: 8, height: 8, marker: 0xc2, scans: [scan, scan] }),
    encodePng({ width: 3, height: 3, interlaced: true, data: deflateSync(Buffer.alloc(33)) }),
  ];
  const damage = fc.tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat({ max: 400 }), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0xd8, 0xda, 0xc0)), {
      maxLength: 8,
    }),
    fc.nat({ max: 400 }),
    fc.uint8Array({ maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ([seed, changes, cut, tail]) => {
      const bytes = Buffer.concat([seed, tail]).subarray(0, cut < 100 ? undefined : cut);
      for (const [place, value] of changes) if (place < bytes.length) bytes[place] = value;
      const facts = await checkImage(bytes).catch((error: unknown) => error);
      if (facts instanceof Error) expect(facts).toMatchObject({ name: 'HearthError', code: 'bad_request' });
      else expect(facts).toHaveProperty('width');
    }),
    { numRuns: 3000 },
  );
});
