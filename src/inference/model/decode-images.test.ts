import { describe, expect, test } from 'vitest';
import { colors, drawPng, pngChunk } from '../../../test/support/models/draw.ts';
import { redWebp } from '../../../test/support/models/webp.ts';
import { checkImageCount, decodeImages } from './read-messages.ts';

const small = drawPng({ shape: 'circle', color: colors.red, width: 30, height: 20 });
const endLength = 12;
const convertWebp = async (file: Buffer): Promise<Buffer> => Buffer.concat([Buffer.from('converted '), file]);

/** A PNG with a comment that makes it this large. */
function pngOfSize(bytes: number): Buffer {
  const comment = pngChunk('tEXt', Buffer.alloc(bytes - small.length - 12, 'a'));
  return Buffer.concat([small.subarray(0, -endLength), comment, small.subarray(-endLength)]);
}

async function refusal(...images: string[]): Promise<string> {
  return decodeImages(images, convertWebp).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}

describe('accepts', () => {
  test.each([3, 4, 20])('an image of %i MiB', async (mebibytes) => {
    const image = pngOfSize(mebibytes * 2 ** 20);
    const [decoded] = await decodeImages([image.toString('base64')], convertWebp);
    expect(decoded?.equals(image)).toBe(true);
  });

  test('padding, line breaks and the prefix of a data URL', async () => {
    for (const image of [0, 1, 2].map((extra) => pngOfSize(200 + extra))) {
      const lines = image.toString('base64').replace(/.{60}/g, '$&\r\n');
      const [decoded] = await decodeImages([`data:image/png;base64,${lines}`], convertWebp);
      expect(decoded?.equals(image)).toBe(true);
    }
  });
});

test('a WebP is converted', async () => {
  const [converted] = await decodeImages([redWebp.lossy.toString('base64')], convertWebp);
  expect(converted?.toString('latin1')).toMatch(/^converted RIFF/);
});

describe('refuses', () => {
  test.each([
    ['***', 0],
    ['aaaa=aaa', 4],
    ['aaaaa', 5],
    ['aaaaa===', 5],
    ['aaaa====', 4],
    ['aaaa=', 4],
    ['aaaaä', 4],
    ['aa\n\na!aa', 3],
    [`${'a'.repeat(8 * 2 ** 20)}!`, 8 * 2 ** 20],
  ])('illegal characters %#', async (text, at) => {
    expect(await refusal(text)).toBe(`illegal base64 data at input byte ${at}`);
  });

  test('an image above the limit, by its number', async () => {
    const message = 'image 2: 20.0 MiB is too large (at most 20 MiB)';
    expect(await refusal(small.toString('base64'), pngOfSize(20 * 2 ** 20 + 1).toString('base64'))).toBe(message);
  });

  test('a text above the limit without decoding it', async () => {
    expect(await refusal('\n'.repeat(32 * 2 ** 20))).toBe('an image is too large (at most 20 MiB)');
  });

  test('more images than the limit', () => {
    expect(() => checkImageCount(64)).not.toThrow();
    expect(() => checkImageCount(65)).toThrow('the request has 65 images; the maximum is 64');
  });
});
