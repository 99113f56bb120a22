import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EmbeddingRows } from '../llama/embedding-batch.ts';
import type { Projector } from '../llama/open-projector.ts';
import { createImageEncoder, imageToken } from './image-encoder.ts';
import type { PromptImage } from './image-positions.ts';

/** An image file has one byte: the number of its tokens. A text token comes before and after them. */
function setUp(capacityBytes?: number, failures: boolean[] = []) {
  const calls: string[] = [];
  let encoding: Promise<void> = Promise.resolve();
  const projector: Projector = {
    typicalTokens: 64,
    read: (file) => ({
      parts: [
        [1],
        {
          count: file[0] as number,
          positions: 2,
          isCausal: file[0] !== 7,
          async encode() {
            calls.push(`encode ${file[0]}`);
            await encoding;
            if (failures.shift()) throw new Error('the image could not be encoded');
            return Float32Array.of(file[0] as number);
          },
          tryEncode() {},
          positionsFrom: (start) => Int32Array.of(start),
        },
        [2],
      ],
      free: () => calls.push(`free ${file[0]}`),
    }),
  };
  const decode = ({ count, values, positions, sequence, isCausal }: EmbeddingRows): 'done' => {
    calls.push(`decode ${count} of ${values} into ${sequence} at ${positions}${isCausal ? '' : ' together'}`);
    return 'done';
  };
  const imageEncoder = createImageEncoder(projector, decode, capacityBytes);
  /** Encodes and evaluates the one chunk of an image. */
  const evaluate = async ({ chunks: [chunk] }: PromptImage): Promise<string | undefined> => {
    const done = new Promise<void>((resolve) => imageEncoder.watch(resolve));
    if (chunk?.prepare() === false) await done;
    expect(chunk?.prepare()).toBe(true);
    return chunk?.evaluate(location);
  };
  /** Images are not encoded until the returned function is called. */
  const stall = (): (() => void) => {
    let release = (): void => {};
    encoding = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { imageEncoder, calls, evaluate, stall };
}

const location = { sequence: 3, position: 10 };

test('the tokens of an image depend only on its content', () => {
  const { imageEncoder } = setUp();
  const [first, again, other] = [5, 5, 6].map((size) => imageEncoder.encode(Buffer.from([size])));
  expect(first?.tokens).toEqual(again?.tokens);
  expect(first?.tokens).toHaveLength(7);
  expect(first?.tokens.map(Math.sign)).toEqual([1, -1, -1, -1, -1, -1, 1]);
  expect(first?.tokens[1]).not.toBe(other?.tokens[1]);
  expect(first?.chunks).toMatchObject([{ offset: 1, count: 5, positions: 2 }]);
});

test('an image is encoded once for all requests', async () => {
  const { imageEncoder, calls, evaluate } = setUp();
  for (let turn = 0; turn < 2; turn++) {
    const image = imageEncoder.encode(Buffer.from([5]));
    expect(await evaluate(image)).toBe('done');
    image.release();
  }
  expect(calls).toEqual(['encode 5', 'decode 5 of 5 into 3 at 10', 'decode 5 of 5 into 3 at 10']);
  expect(imageEncoder.counters).toEqual({ imagesEncoded: 1, imagesCached: 1 });
});

test('tokens that attend to each other are decoded together', async () => {
  const { imageEncoder, calls, evaluate } = setUp();
  await evaluate(imageEncoder.encode(Buffer.from([7])));
  expect(calls.at(-1)).toBe('decode 7 of 7 into 3 at 10 together');
});

test('the least recently used image is freed first', () => {
  // Room for two images of one token, with two around it.
  const { imageEncoder, calls } = setUp(6 * 20 * 1024);
  const files = ['a', 'b', 'c'].map((name) => Buffer.from([1, name.charCodeAt(0)]));
  for (const file of files) imageEncoder.encode(file).release();
  expect(calls).toEqual(['free 1']);
  // The other two are still cached.
  for (const file of files.slice(1)) imageEncoder.encode(file).release();
  expect(calls).toEqual(['free 1']);
});

test('an image in use is freed after the last release', async () => {
  const { imageEncoder, calls, evaluate } = setUp(0);
  const [one, two] = [imageEncoder.encode(Buffer.from([1])), imageEncoder.encode(Buffer.from([2]))];
  expect(calls).toEqual([]);
  expect(await evaluate(one)).toBe('done');
  one.release();
  two.release();
  expect(calls.slice(-2)).toEqual(['free 1', 'free 2']);
});

test('requests with the same image wait for one encoding', async () => {
  const { imageEncoder, calls, evaluate, stall } = setUp();
  const [one, two] = [5, 5].map((size) => imageEncoder.encode(Buffer.from([size])));
  const release = stall();
  expect([one, two, one].map((image) => image?.chunks[0]?.prepare())).toEqual([false, false, false]);
  expect(calls).toEqual(['encode 5']);
  release();
  expect(await evaluate(one as PromptImage)).toBe('done');
  expect(await evaluate(two as PromptImage)).toBe('done');
  expect(imageEncoder.counters).toEqual({ imagesEncoded: 1, imagesCached: 1 });
});

test('an image is not freed while it is encoded, although its request was canceled', async () => {
  const { imageEncoder, calls, stall } = setUp(0);
  const image = imageEncoder.encode(Buffer.from([1]));
  const release = stall();
  const done = new Promise<void>((resolve) => imageEncoder.watch(resolve));
  image.chunks[0]?.prepare();
  image.release();
  expect(calls).toEqual(['encode 1']);
  release();
  await done;
  expect(calls).toEqual(['encode 1', 'free 1']);
});

test('an image that could not be encoded fails its request, and the next one tries again', async () => {
  const { imageEncoder, evaluate } = setUp(undefined, [true]);
  await expect(evaluate(imageEncoder.encode(Buffer.from([1])))).rejects.toThrow('could not be encoded');
  expect(await evaluate(imageEncoder.encode(Buffer.from([1])))).toBe('done');
});

test('tokens of an image are negative 32-bit integers', () => {
  const digest = createHash('sha256').update('x').digest();
  const tokens = Array.from({ length: 4096 }, (_, index) => imageToken(digest, index));
  expect(tokens.every((token) => token < 0 && (token | 0) === token)).toBe(true);
  expect(new Set(tokens).size).toBe(4096);
});
