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

const one = 'See[img-0]this:';
const two = 'First[img-0]this, then[img-1]that:';

async function answer(lease: Lease, prompt: string, ...images: readonly Buffer[]) {
  const options = { temperature: 0, numPredict: 24, seed: 1 };
  const { text, started } = await answerOf(lease.generate(requestOf(prompt, options, { images }), never));
  return { text, tokens: started.promptTokens };
}

const square = drawPng({ shape: 'square', color: colors.blue, width: 112, height: 112 });
const wide = drawPng({ shape: 'circle', color: colors.red, width: 224, height: 112 });

test('a token of an image can have several positions, and an image several passes', async () => {
  const whole = await open('qwen2vl', { numBatch: 512 });
  const [first, second] = [await answer(whole, one, square), await answer(whole, one, wide)];
  // 4 × 4 tokens and 8 × 4 tokens, each for 28 × 28 pixels.
  expect(second.tokens - first.tokens).toBe(16);
  expect(second.text).not.toBe(first.text);
  const both = await answer(whole, two, square, wide);
  // The same tokens, but the second image has other positions.
  const swapped = await answer(whole, two, wide, square);
  expect(swapped.tokens).toBe(both.tokens);
  expect(swapped.text).not.toBe(both.text);
  whole.release();
  const parts = await open('qwen2vl', { numBatch: 5 });
  expect(await answer(parts, one, square)).toEqual(first);
  expect(await answer(parts, one, wide)).toEqual(second);
  expect(await answer(parts, two, square, wide)).toEqual(both);
  parts.release();
});

test('tokens of an image can attend to each other', async () => {
  const text = 'Only text: each token attends to those before it.';
  const before = await open('gemma3', { numBatch: 512 });
  const expected = await answer(before, text);
  before.release();
  // Another runner, which has not evaluated the text yet.
  const after = await open('gemma3', { numBatch: 256 });
  const [first, second] = [await answer(after, one, square), await answer(after, one, wide)];
  expect(first.text).not.toBe(second.text);
  expect(await answer(after, text)).toEqual(expected);
  after.release();
  await expect(open('gemma3', { numBatch: gemmaImageTokens - 1 })).rejects.toMatchObject({
    code: 'load_failed',
    message: expect.stringContaining(`a batch of ${gemmaImageTokens} tokens, but num_batch is ${gemmaImageTokens - 1}`),
  });
});
