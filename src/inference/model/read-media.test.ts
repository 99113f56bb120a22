import { describe, expect, test } from 'vitest';
import { colors, drawPng, pngChunk } from '../../../test/support/models/draw.ts';
import { redWebp } from '../../../test/support/models/webp.ts';
import { toneWav } from '../../../test/support/speech/random-whisper.ts';
import { checkMediaCount, decodeMedia, isEncodedAudio } from './read-media.ts';

const small = drawPng({ shape: 'circle', color: colors.red, width: 30, height: 20 });
const endLength = 12;
const decoders = {
  convertWebp: async (file: Buffer) => Buffer.concat([Buffer.from('converted '), file]),
  decodeAudio: async (file: Buffer, maxSeconds: number) => Buffer.from(`${file.length} bytes, ${maxSeconds} seconds`),
};

/** A PNG with a comment that makes it this large. */
function pngOfSize(bytes: number): Buffer {
  const comment = pngChunk('tEXt', Buffer.alloc(bytes - small.length - 12, 'a'));
  return Buffer.concat([small.subarray(0, -endLength), comment, small.subarray(-endLength)]);
}

async function refusal(...images: string[]): Promise<string> {
  return decodeMedia(images, decoders).then(
    () => 'accepted',
    (error: Error) => error.message,
  );
}

describe('accepts', () => {
  test.each([3, 4, 20])('an image of %i MiB', async (mebibytes) => {
    const image = pngOfSize(mebibytes * 2 ** 20);
    const [decoded] = await decodeMedia([image.toString('base64')], decoders);
    expect(decoded?.equals(image)).toBe(true);
  });

  test('padding, line breaks and the prefix of a data URL', async () => {
    for (const image of [0, 1, 2].map((extra) => pngOfSize(200 + extra))) {
      const lines = image.toString('base64').replace(/.{60}/g, '$&\r\n');
      const [decoded] = await decodeMedia([`data:image/png;base64,${lines}`], decoders);
      expect(decoded?.equals(image)).toBe(true);
    }
  });
});

test('a WebP is converted', async () => {
  const [converted] = await decodeMedia([redWebp.lossy.toString('base64')], decoders);
  expect(converted?.toString('latin1')).toMatch(/^converted RIFF/);
});

test('a recording is decoded', async () => {
  const wav = toneWav(1);
  const encoded = `data:audio/wav;base64,${wav.toString('base64')}`;
  expect([isEncodedAudio(encoded), isEncodedAudio(small.toString('base64'))]).toEqual([true, false]);
  const [image, decoded] = await decodeMedia([small.toString('base64'), encoded], decoders);
  expect([image, decoded?.toString()]).toEqual([small, `${wav.length} bytes, 600 seconds`]);
  expect(await refusal(toneWav(1, { rate: 1000 }).toString('base64'))).toContain('recording 1: ');
});

test('the recordings of a request have a limit together', async () => {
  const tenMinutes = { ...decoders, decodeAudio: async () => Buffer.alloc(600 * 32_000 + 44) };
  const wav = toneWav(1).toString('base64');
  expect(await decodeMedia([wav], tenMinutes)).toHaveLength(1);
  const message = 'recording 2: the recordings of a request have at most 10 minutes together';
  await expect(decodeMedia([wav, wav], tenMinutes)).rejects.toThrow(message);
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
    expect(await refusal('\n'.repeat(32 * 2 ** 20))).toBe('an image or a recording is too large (at most 20 MiB)');
  });

  test('more images than the limit', () => {
    expect(() => checkMediaCount(64)).not.toThrow();
    expect(() => checkMediaCount(65)).toThrow('the request has 65 images or recordings; the maximum is 64');
  });
});
