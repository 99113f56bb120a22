// Vision models whose images are not a row of tokens: with several positions for each token, and with tokens that attend to
// each other. Their weights are random, so that only the differences between answers say something.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { answerOf, never, requestOf, startEngine } from '../support/engine.ts';
import { colors, drawPng } from '../support/models/draw.ts';
import { gemmaImageTokens, type VisionFamily, writeTinyVision } from '../support/models/tiny-vision.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tiny-vision-'));
let engine: Engine;
beforeAll(() => {
  engine = startEngine();
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

function open(family: VisionFamily, options: OptionValues): Promise<Lease> {
  const files = writeTinyVision(folder, family);
  const source = { kind: 'local' as const, key: family, adapterPaths: [], fileBytes: 1, ...files };
  const load = resolveOptions({ numCtx: 512, ...options }).load;
  return engine.acquire({ name: `${family}-${options.numBatch}`, source, options: load }, never);
}

async function answer(lease: Lease, image: Buffer, prompt = 'See[img-0]this:') {
  const options = { temperature: 0, numPredict: 24, seed: 1 };
  const { text, started } = await answerOf(lease.generate(requestOf(prompt, options, { images: [image] }), never));
  return { text, tokens: started.promptTokens };
}

const square = drawPng({ shape: 'square', color: colors.blue, width: 112, height: 112 });
const wide = drawPng({ shape: 'circle', color: colors.red, width: 224, height: 112 });

test('a token of an image can have several positions, and an image several passes', async () => {
  const whole = await open('qwen2vl', { numBatch: 512 });
  const [first, second] = [await answer(whole, square), await answer(whole, wide)];
  // 4 × 4 tokens and 8 × 4 tokens, each for 28 × 28 pixels.
  expect(second.tokens - first.tokens).toBe(16);
  expect(second.text).not.toBe(first.text);
  // The positions of the answer do not depend on the number of tokens before it alone.
  const twice = await answer(whole, square, 'See[img-0]this, then[img-1]that:');
  expect(twice.text).not.toBe(first.text);
  whole.release();
  const parts = await open('qwen2vl', { numBatch: 5 });
  expect(await answer(parts, square)).toEqual(first);
  expect(await answer(parts, wide)).toEqual(second);
  parts.release();
});

test('tokens of an image can attend to each other', async () => {
  const lease = await open('gemma3', { numBatch: 512 });
  const [first, second] = [await answer(lease, square), await answer(lease, wide)];
  expect(first.text).not.toBe(second.text);
  // Text after the image is causal again.
  expect(await answer(lease, square)).toEqual(first);
  lease.release();
  await expect(open('gemma3', { numBatch: gemmaImageTokens - 1 })).rejects.toMatchObject({
    code: 'load_failed',
    message: expect.stringContaining(`a batch of ${gemmaImageTokens} tokens, but num_batch is ${gemmaImageTokens - 1}`),
  });
});
