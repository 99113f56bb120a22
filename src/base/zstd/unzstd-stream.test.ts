import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatedBlock, skippableFrame, writeZstd, zstdBlock, zstdFrame } from '../../../test/support/zstd.ts';
import { UnzstdStream } from './unzstd-stream.ts';

const maxWindowBytes = 2 ** 23;

async function decompress(bytes: Uint8Array, pieceBytes = 65_536): Promise<Buffer> {
  const stream = new UnzstdStream(maxWindowBytes);
  const pieces = function* (): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  };
  const parts: Buffer[] = [];
  await pipeline(Readable.from(pieces()), stream, async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) parts.push(part);
  });
  return Buffer.concat(parts);
}

function rows(count: number): string {
  let state = 1;
  const next = (): number => {
    state = (state * 48271) % 2147483647;
    return state;
  };
  const row = (_: unknown, id: number): string =>
    JSON.stringify({ id, name: `word ${next() % 97}`, value: next() % 1000 });
  return Array.from({ length: count }, row).join('\n');
}

// Written by zstd 1.5 at level 19, and at level 3 in several blocks.
const written = {
  rows: Buffer.from(
    'KLUv/QRoHQsAdlc2F4BL2uhf5ngFMBTFHa3cmSTXU0pHLlMYNwAsACwAJaRSQ06yxMO28tIIf1O+qWg1j6dafF1d3xLgYXkFISwMAgaSI' +
      'PXAQJFoIAUhHAQIJJmCDAqII1R1mZj0k++eo2v4HGuNnnVGF9Wr0NSZkywp8S1nWf6yVfmsRxu8uWL9Ljp0R9Wf3TVtmp5JY0P5ytfFaE' +
      'aId0/fbU6+s1iapiUrWTntKPH06fmK2SknugGPPFtlyQax8r2r7F21X0aWPnTH0so+Ug2Hxjc1SkxXISGWHraDt+zPNTVWDICwqCFkla/' +
      '/G6CZMhwRKAQU0BX6dh4noC7wK2eGKMhGWxUHZwStiUNRQb3kAT6BWoUHuKCi0JbAczIwO+ErYYRuVKMGuGABHDLnlqRDWmCEKliCEapg' +
      'T6YijMYgkaH2VkaikgSpoAqzUpDIgS5QarweOnhkRIASRxDbvh3IJrgIF4F85wSQKvBi7lU=',
    'base64',
  ),
  blocks: Buffer.from(
    'KLUv/QRYbBwAdho8GYC50AbYiIzAa9WBxDg32d29UzoCzER3BQNAADEALgAn67CqmmlqM1b3Kmd2v69OalTDQ9ObXGbM8G8u1+nvglwhD' +
      'IsDgQSC4WAwASgMChIMCMNiIEFgOAyEQRFgUOAIvyIZ1KE56fh//0aqP6PSeN3uY85el+/sSqZO0ZjE6Ibcl5I9tslSl8xVrmf0kkdaEk' +
      'XiUHiafXGcR2OZZA6Fp82awzwaqyQOhS9dloNHY5E4FL6m2YXRI9/pY3aRmlV3Oa7OylikEZ7usKMViziUu8pRZ0WcEZrT7KCjDUtIRkR' +
      'Oi3RExvBoJcSh3FIO4RkDgRCo0VS3y/4doYURQhDBiIZ6EoggIDiOKhmG6Ijw/38i9APaenbo/rM5+DD7+x+aY587BcDIHn8e5QQElwcF' +
      'oCnHpdwXWgfI/nFQKJBCEIAaojdzYDpAYql+IXgvNBFwyCL6QhkZsE/aL8QRHk2Z7J/cW4WIy8pWW1nVSCQAjvxaxZBQahvJSsQkl+Alx' +
      'eTHsGkviSZU/GYykgodxdScdZl0QoCpJ7pOzz8moH6Bn25MQwGTgaaNiVFPpNAZVFL/mJgiNiFGEcMUSWbl14/KSpEqbKoq6FJYsRXUdF' +
      'opClAjPP3ZKl49sOIkKi1FFlgzRlVc6qyNV7GqLqXWTSl/VcZS2qra2M0qogXXv9RcSmV/UtdeSi172Leria8OV14/uvhS4vrLCY2sP7j' +
      'aETSL2b6vwiDAEMP7Wswpb62/L8ewT9scX1Tt2oC3/4xRhjhWIw4n06xXmTY0MAON3yyIC7cs1EC0FI7Q/IGRxtrjtNfcLat85YX/viAq' +
      'WreBOxY+sK0EPNtud7UdYxzRGCa/5NB7fsdn3hC3vx1n35tyrnoPDHkT4HmNigk9DnRh5aYDJWcdV8HqX3LZ8cHOnCK3LgUu0fBfBxoQ7' +
      'YiXSXdeTZTr6rZJIISYeLOnad7r3pYecd2uBz02Fw+84WPwGMRHPzb0+TfIfQWop1+CACGnwFaF2+LTaHgoAUTQ5RYYFpm7yJmrLsf81w' +
      'B0mDj9wx659IAl6hPAVWZj+TqZU7warjDtPIA7hBtgFKcrfbhv0qdYLQ4TqM+6ap2D1PBLaCIKE6giYXt2NBOh6puv9JlU3UJQzFpwzxk' +
      'aOMo4KWBlneHvo8wLEv8DnmDfj76Ua95qMhIcxXhrC82pPUCtQGwF0QbMqFkUWciTfK4C3QcAJANlNDUKNjk3ODkKMTAwCjEwMTIKMDMK' +
      'NDc5MDU2Nwo4CjkxMDkxMTI5Mzk0OTUKNjc4OTQgkYTXMiRYwT6ZoPKHCR6w22QVfjzzoN0mruyPxZ7gbhOx+MeRD91lhZZ/3OQW/oG83' +
      'x8w3kQX/JZke0CoySZ62Q+RTy0DcVwLYPQ2WNQElvPH5Wu8IXlIC/zxY20o+AaTzD8mhhk/BvOMf7Du3AtGGv1gvw9GR1Zn+B8uMMaB8o' +
      'zmEeP9VHxA/INBg438ThoCFf92jTf0u2uC85+1GeeP2pjjH/094bRJRz8g+XsxG2UG/jHpE99z3vmjOfL4R8ov4RD4LzZ6132r',
    'base64',
  ),
};
const blocks = Array.from({ length: 120 }, (_, round) => `${round}\n${rows(40).slice(round * 3)}`).join('');

describe('frames of the reference program', () => {
  test.each([1, 13, 65_536])('become what they were, in pieces of %i bytes', async (pieceBytes) => {
    expect((await decompress(written.rows, pieceBytes)).toString()).toBe(rows(60));
    expect((await decompress(written.blocks, pieceBytes)).equals(Buffer.from(blocks))).toBe(true);
  });

  test('follow each other, with skippable frames between them', async () => {
    const skipped = skippableFrame(Buffer.alloc(70_000));
    const all = Buffer.concat([skipped, written.rows, skippableFrame(Buffer.alloc(0)), written.blocks, skipped]);
    expect((await decompress(all)).toString()).toBe(rows(60) + blocks);
    expect((await decompress(Buffer.alloc(0))).length).toBe(0);
  });

  test('are refused if they are cut anywhere, or followed by something else', async () => {
    for (let length = 1; length < written.rows.length; length++)
      await expect(decompress(written.rows.subarray(0, length))).rejects.toThrow('incomplete');
    await expect(decompress(Buffer.concat([written.rows, Buffer.from('{}{}')]))).rejects.toThrow('not zstd');
    await expect(decompress(skippableFrame(Buffer.alloc(9)).subarray(0, 12))).rejects.toThrow('incomplete');
  });

  test('become nothing else if a bit is wrong, because they have a checksum', async () => {
    for (let bit = 0; bit < written.rows.length * 8; bit += 3) {
      const damaged = Buffer.from(written.rows);
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const result = await decompress(damaged).catch((error: unknown) => error);
      // Some bits mean nothing, such as the last ones of a table.
      if (result instanceof Buffer) expect(result.toString()).toBe(rows(60));
      else expect(result).toMatchObject({ code: 'ZSTD_error_corruption_detected' });
    }
  });
});

describe('hostile frames', () => {
  const block = repeatedBlock('x');

  test.each<[string, Buffer, string]>([
    ['a window above the limit', zstdFrame([block], { windowLog: 24 }), 'window above the limit'],
    ['the largest window', zstdFrame([block], { windowLog: 41 }), 'window above the limit'],
    ['one segment above the limit', zstdFrame([block], { segmentBytes: 2 ** 40 }), 'window above the limit'],
    ['a dictionary', zstdFrame([block], { dictionary: 7 }), 'needs a dictionary'],
    ['more than it says', zstdFrame([block, block], { segmentBytes: 2 ** 17 + 1 }), 'longer than it says'],
    ['less than it says', zstdFrame([block], { segmentBytes: 2 ** 17 + 1 }), 'shorter than it says'],
    [
      'a block above 128 KiB',
      zstdFrame([zstdBlock({ type: 1, size: 2 ** 17 + 1, content: Buffer.of(0) })]),
      'too large',
    ],
    ['a block above its window', zstdFrame([block], { windowLog: 16 }), 'too large'],
    ['an unknown block', zstdFrame([zstdBlock({ type: 3, size: 1, content: Buffer.of(0) })]), 'unknown type'],
    [
      'an offset behind the start',
      // No literals, and one sequence: a match of three bytes, at least five bytes back.
      zstdFrame([zstdBlock({ type: 2, size: 7, content: Buffer.of(0, 1, 0x54, 0, 3, 0, 0x08) })]),
      'an offset is too large',
    ],
  ])('%s is refused', async (_, bytes, message) => {
    await expect(decompress(bytes)).rejects.toThrow(message);
  });

  test('blocks and frames without content are refused after a megabyte', async () => {
    const empty = zstdBlock({ type: 0, size: 0, content: Buffer.alloc(0) });
    for (const bytes of [
      zstdFrame([Buffer.alloc(3 * 700_000, empty)]),
      Buffer.alloc(9 * 240_000, skippableFrame(Buffer.alloc(1))),
      skippableFrame(Buffer.alloc(2 ** 21)),
    ])
      await expect(decompress(bytes)).rejects.toThrow('too little content');
  });

  test('many small frames with the largest window take no memory', async () => {
    const content = Buffer.from('{"a": 1}');
    const frame = zstdFrame([zstdBlock({ type: 0, size: content.length, content })], { windowLog: 23 });
    const before = process.memoryUsage().arrayBuffers;
    expect((await decompress(Buffer.alloc(frame.length * 20_000, frame))).length).toBe(160_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(maxWindowBytes);
  });

  test('a bomb expands only as it is read, and ends with its reader', async () => {
    const stream = new UnzstdStream(maxWindowBytes);
    stream.end(zstdFrame([Buffer.alloc(4 * 10_000, block)]));
    let read = 0;
    for await (const part of stream as AsyncIterable<Buffer>) {
      expect(stream.readableLength).toBeLessThan(2 ** 20);
      read += part.length;
      if (read > 2 ** 23) break;
    }
    expect(stream.destroyed).toBe(true);
  });

  test('other work runs while a bomb expands', async () => {
    let turns = 0;
    let isRunning = true;
    const turn = (): void => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    // A reader that takes everything at once.
    const stream = new UnzstdStream(maxWindowBytes);
    const ended = new Promise((resolve) => stream.on('data', () => {}).on('end', resolve));
    stream.end(zstdFrame([Buffer.alloc(4 * 4000, block)]));
    await ended;
    isRunning = false;
    expect(turns).toBeGreaterThan(5);
  });
});

test('raw blocks of any length are read', async () => {
  for (const length of [0, 1, 2 ** 17, 2 ** 17 + 1, 2 ** 20 + 5]) {
    const bytes = Buffer.alloc(length, 'Hello, zstd. ');
    expect((await decompress(writeZstd(bytes))).equals(bytes)).toBe(true);
  }
});

// node20: import it.
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array, options: object) => Buffer };

test.runIf(zstdCompressSync)('what Node compresses becomes what it was', async () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.lorem({ maxCount: 60 }).map((text) => Buffer.from(text)),
    fc.nat(255).map((byte) => Buffer.alloc(5000, byte)),
  );
  const content = fc.array(part, { maxLength: 40 }).map((parts) => Buffer.concat(parts));
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: -5, max: 19 }), async (bytes, level) => {
      const packed = zstdCompressSync?.(bytes, { params: { 100: level, 201: level & 1 } }) as Buffer;
      expect((await decompress(packed, 1000)).equals(bytes)).toBe(true);
    }),
  );
});
