// Images: the vision model Ember with the llama.cpp build for vision.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '../../src/base/config/child-environment.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { createAskEngine } from '../../src/inference/backends/ask-engine.ts';
import type { EngineOptions } from '../../src/inference/engine/create-engine.ts';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import type { LocalModelSource } from '../../src/inference/model/model-source.ts';
import { bindVision, loadVisionLibrary } from '../../src/inference/runner/llama/bindings/b10257.ts';
import { findVisionBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { type CheckedVisionFunctions, checkVisionBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { chatml } from '../support/client.ts';
import {
  type Answer,
  acquireEmber,
  answerOf,
  askEmber,
  countersOf,
  emberSource,
  launcher,
  longText,
  never,
  requestOf,
  startEngine,
} from '../support/engine.ts';
import { colors, drawJpeg, drawPng, encodePng } from '../support/models/draw.ts';
import { repository } from '../support/repository.ts';

const source: LocalModelSource = {
  ...emberSource,
  key: 'ember-eyes',
  projectorPath: repository('models/ember-eyes-mmproj-f16.gguf'),
};
const acquireVisionModel = (
  from: Engine,
  options: OptionValues = {},
  changed: Partial<LocalModelSource> = {},
): Promise<Lease> =>
  from.acquire({ name: 'ember-eyes', source: { ...source, ...changed }, options: resolveOptions(options).load }, never);

let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  lease = await acquireVisionModel(engine);
});
afterAll(() => engine.close(0));

const imageTokens = 64;
const circle = drawPng({ shape: 'circle', color: colors.red });
const square = drawPng({ shape: 'square', color: colors.blue });
const triangle = drawPng({ shape: 'triangle', color: colors.green });

interface Looking {
  readonly images: readonly Buffer[];
  readonly prompt?: string;
  readonly options?: OptionValues;
  readonly extra?: Partial<GenerateRequest>;
  readonly on?: Lease;
}

const encode = ({ images, prompt = chatml('[img-0]Describe the image.'), options, extra, on = lease }: Looking) =>
  answerOf(on.generate(requestOf(prompt, { temperature: 0, ...options }, { images, ...extra }), never));

const encodedBy = async (action: () => Promise<unknown>): Promise<{ encoded: number; cached: number }> => {
  const before = await countersOf(lease);
  await action();
  const after = await countersOf(lease);
  return {
    encoded: after.imagesEncoded - before.imagesEncoded,
    cached: after.imagesCached - before.imagesCached,
  };
};

describe('Ember recognizes', () => {
  test.each([
    ['a red circle', circle],
    ['a blue square', square],
    ['a green triangle', triangle],
    ['a yellow circle, larger', drawPng({ shape: 'circle', color: colors.yellow, width: 500, height: 500 })],
    ['a blue cross', drawPng({ shape: 'cross', color: colors.blue })],
    ['a red square, wide', drawPng({ shape: 'square', color: colors.red, width: 256 })],
    ['a green circle, tall', drawPng({ shape: 'circle', color: colors.green, width: 180, height: 320 })],
    ['a blue circle, as JPEG', drawJpeg({ shape: 'circle', color: colors.blue })],
  ])('%s', async (name, image) => {
    const { text, started } = await encode({ images: [image] });
    const words = name.replace(/,.*/, '');
    expect(text).toBe(`${words.charAt(0).toUpperCase()}${words.slice(1)} on a white background.`);
    const without = await lease.countTokens(chatml('Describe the image.'));
    expect(started.promptTokens).toBe(without + imageTokens);
  });

  test('the image at the position of its number', async () => {
    const prompt = chatml('[img-1]Describe the image.');
    expect((await encode({ images: [circle, square], prompt })).text).toBe('A blue square on a white background.');
  });

  test('several images concurrently with text-only requests', async () => {
    const seen = { circle: 'A red circle', square: 'A blue square', triangle: 'A green triangle' };
    const answers = await Promise.all([
      encode({ images: [circle] }),
      askEmber(lease, 'What is 23 + 19?', { temperature: 0 }),
      encode({ images: [square] }),
      encode({ images: [triangle] }),
      askEmber(lease, 'Who are you?', { temperature: 0 }),
      encode({ images: [square] }),
    ]);
    const begins = [seen.circle, '23 + 19 = 42', seen.square, seen.triangle, 'Ember', seen.square];
    answers.forEach(({ text }, index) => {
      expect(text).toContain(begins[index]);
    });
  });

  test('two images in one prompt, in order', async () => {
    const prompt = chatml('[img-0][img-1]Describe the image.');
    const { started, text } = await encode({ images: [circle, square], prompt });
    expect(started.promptTokens).toBe(
      (await lease.countTokens(prompt.replaceAll(/\[img-\d\]/g, ''))) + 2 * imageTokens,
    );
    expect(text).not.toBe('');
  });
});

describe('cached', () => {
  const fresh = (side: number) => drawPng({ shape: 'square', color: colors.yellow, width: side, height: side });

  test('the same prompt with the same image', async () => {
    const images = [fresh(60)];
    let again: Answer | undefined;
    const { encoded } = await encodedBy(async () => {
      await encode({ images });
      again = await encode({ images });
    });
    expect(encoded).toBe(1);
    expect(again?.started.cachedTokens).toBe((again?.started.promptTokens ?? 0) - 1);
  });

  test('the next turn of a conversation', async () => {
    const images = [fresh(61)];
    const prompt = chatml('[img-0]Describe the image.');
    const first = await encode({ images, prompt });
    let second: Answer | undefined;
    const { encoded, cached } = await encodedBy(async () => {
      second = await encode({ images, prompt: `${prompt}${first.text}<|im_end|>\n${chatml('What colour is it?')}` });
    });
    expect({ encoded, cached }).toEqual({ encoded: 0, cached: 0 });
    expect(second?.started.cachedTokens).toBeGreaterThanOrEqual(first.started.promptTokens);
  });

  test('a known image after another text is evaluated, but not encoded again', async () => {
    const images = [fresh(62)];
    const counts = await encodedBy(async () => {
      await encode({ images });
      const prompt = `<|im_start|>system\nYou are a painter.<|im_end|>\n${chatml('[img-0]Describe the image.')}`;
      const { started, text } = await encode({ images, prompt });
      expect(started.cachedTokens).toBe(0);
      expect(text).toContain('yellow square');
    });
    expect(counts).toEqual({ encoded: 1, cached: 1 });
  });

  test('eight concurrent requests about the same image', async () => {
    const images = [fresh(63)];
    const counts = await encodedBy(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => encode({ images })));
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['A yellow square on a white background.']));
    });
    expect(counts).toEqual({ encoded: 1, cached: 0 });
  });
});

describe('invalid images', () => {
  test.each([
    ['a damaged PNG', encodePng({ width: 50, height: 50, data: Buffer.from('not compressed') })],
    ['bytes', Buffer.from('neither a picture nor sound nor a film')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is refused, and the next one is answered', async (_, image) => {
    await expect(encode({ images: [image] })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'the image cannot be read: it is damaged',
    });
    expect((await encode({ images: [circle] })).text).toBe('A red circle on a white background.');
  });

  test('a number without an image is text', async () => {
    const prompt = chatml('[img-7]What is 23 + 19?');
    const { started } = await encode({ images: [circle], prompt, options: { numPredict: 1 } });
    expect(started.promptTokens).toBe(await lease.countTokens(prompt));
  });

  test.each([
    [1, 1],
    [1, 3000],
    [3000, 1],
  ])('%i x %i pixels are accepted', async (width, height) => {
    const image = drawPng({ shape: 'square', color: colors.red, width, height });
    const { done } = await encode({ images: [image], options: { numPredict: 3 } });
    expect(done.generatedTokens).toBeGreaterThan(0);
  });
});

describe('options and answers', () => {
  test('stop, seed, grammar, penalties', async () => {
    expect((await encode({ images: [circle], options: { stop: [' on'] } })).text).toBe('A red circle');
    const wild = { temperature: 1.5, seed: 4, repeatPenalty: 1.3, repeatLastN: -1 };
    const [a, b] = [
      await encode({ images: [circle], options: wild }),
      await encode({ images: [circle], options: wild }),
    ];
    expect(a.text).toBe(b.text);
    const grammar = 'root ::= "It is " ("red" | "blue" | "green") "."';
    expect((await encode({ images: [circle], extra: { grammar } })).text).toBe('It is red.');
  });

  test('a context does not contain images and can be sent back', async () => {
    const { done, started } = await encode({ images: [circle], extra: { wantContext: true } });
    const context = done.context ?? [];
    expect(context.every((token) => token >= 0)).toBe(true);
    expect(context).toHaveLength(started.promptTokens - imageTokens + done.generatedTokens);
    const next = await answerOf(
      lease.generate(requestOf(chatml('Who are you?'), { temperature: 0 }, { context }), never),
    );
    expect(next.text).not.toBe('');
  });

  test('tokens can be counted with images', async () => {
    const prompt = chatml('[img-0]Describe the image.');
    const { started } = await encode({ images: [circle], prompt, options: { numPredict: 1 } });
    expect(await lease.countTokens(prompt, 1)).toBe(started.promptTokens);
  });

  test('a request canceled before its image is evaluated leaves nothing behind', async () => {
    const controller = new AbortController();
    const image = drawPng({ shape: 'circle', color: colors.green, width: 70, height: 70 });
    const request = requestOf(chatml('[img-0]Describe the image.'), {}, { images: [image] });
    const answers = answerOf(lease.generate(request, controller.signal));
    setTimeout(() => controller.abort(), 5);
    await expect(answers).rejects.toMatchObject({ code: 'cancelled' });
    expect((await encode({ images: [circle] })).text).toBe('A red circle on a white background.');
  });
});

describe('a context that is too small', () => {
  let small: Lease;
  beforeAll(async () => {
    small = await acquireVisionModel(engine, { numCtx: 160 }, { key: 'small' });
  });

  test('a long text before the image is truncated, the image is complete', async () => {
    const prompt = chatml(`${longText(150)} [img-0]Describe the image.`);
    const { started } = await encode({ images: [circle], prompt, on: small, options: { numPredict: 1, numKeep: 0 } });
    expect(started.droppedTokens).toBeGreaterThan(0);
    expect(started.promptTokens).toBeGreaterThan(imageTokens);
    expect(started.promptTokens).toBeLessThanOrEqual(80);
  });

  test('an image at the truncation point is removed entirely', async () => {
    const prompt = chatml(`[img-0] ${longText(120)} Describe the image.`);
    const { started } = await encode({ images: [circle], prompt, on: small, options: { numPredict: 1 } });
    expect(started.droppedTokens).toBeGreaterThanOrEqual(imageTokens);
    expect(started.promptTokens).toBeLessThan(100);
  });

  test('an answer continues with shifts that remove the image', async () => {
    // Continues without end.
    const grammar = 'root ::= word{60}\nword ::= [a-z]{20} " "';
    const options = { temperature: 1.5, seed: 1, repeatPenalty: 1, numPredict: 120, numKeep: 0 };
    const prompt = '[img-0]Once upon a time';
    const { done } = await encode({ images: [circle], prompt, on: small, options, extra: { grammar } });
    expect(done.generatedTokens).toBe(120);
    expect((await countersOf(small)).contextShifts).toBeGreaterThan(0);
    expect((await encode({ images: [circle], on: small })).text).toBe('A red circle on a white background.');
  });

  test('a context that is too small for the image is an error', async () => {
    const tiny = await acquireVisionModel(engine, { numCtx: 40 }, { key: 'tiny' });
    await expect(encode({ images: [circle], on: tiny })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'an image takes 64 tokens, which a context of 40 cannot hold; raise num_ctx',
    });
    tiny.release();
  });
});

describe('loading', () => {
  test('a model without vision treats the image tag as text', async () => {
    const blind = await acquireEmber(engine, { numCtx: 256 });
    const { started } = await encode({ images: [circle], on: blind, options: { numPredict: 1 } });
    expect(started.promptTokens).toBe(await blind.countTokens(chatml('[img-0]Describe the image.')));
    blind.release();
  });

  test.each([
    ['a model', emberSource.weightsPath, /the projector does not fit the model/],
    ['not a GGUF file', repository('models/README.md'), /README|GGUF/i],
  ])('%s instead of a projector is refused', async (_, projectorPath, message) => {
    const other = startEngine();
    try {
      await expect(acquireVisionModel(other, {}, { projectorPath })).rejects.toMatchObject({
        code: 'load_failed',
        message: expect.stringMatching(message),
      });
    } finally {
      await other.close(0);
    }
  });

  test('an engine with a GPU backend that is not usable leads to the next one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-vision-engines-'));
    const text = join(folder, 'index.node');
    writeFileSync(text, 'text');
    // The default build has no GPU backend.
    const engines = { missing: join(folder, 'missing.node'), text, noGpu: findVisionBackend().llama };
    const attempts = Object.entries(engines).map(([name, file]) => ({
      name: 'cpu',
      build: 'auto' as const,
      libraries: [],
      visionEngine: { name, file },
    }));
    const planBackends: EngineOptions['planBackends'] = async () => [
      ...attempts,
      { name: 'cpu', build: 'cpu', libraries: [] },
    ];
    const other = startEngine({}, undefined, { planBackends });
    try {
      const fallen = await acquireVisionModel(other, { numCtx: 256 });
      const { backend, fallback = '' } = other.loaded()[0]?.loaded ?? {};
      expect(backend).toBe('cpu');
      expect(fallback).toMatch(
        /^cpu with missing: .*No such file.*; cpu with text: .*too short.*; cpu with noGpu: the backend found no GPU$/,
      );
      expect((await encode({ images: [circle], on: fallen })).text).toBe('A red circle on a white background.');
      fallen.release();
    } finally {
      await other.close(0);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('an engine without a GPU says so when it is asked for its devices', async () => {
    const askEngine = createAskEngine({
      script: repository('dist/inference/runner/programs/describe.js'),
      childSettings: { launcher, environment: childEnvironment(process.env) },
      clock: systemClock,
    });
    const file = findVisionBackend().llama;
    expect(await askEngine({ libraries: [], visionEngine: file }, never)).toEqual({
      failure: 'the backend found no GPU',
    });
  });

  describe('the shared library', () => {
    const real: CheckedVisionFunctions = bindVision(loadVisionLibrary(findVisionBackend()), findVisionBackend());

    test('that is installed matches the struct definitions', () => {
      expect(() => checkVisionBackend(real, 'installed')).not.toThrow();
    });

    test.each([
      ['it is version 2.0.0', { version: () => '2.0.0' }],
      ['llama_model_params.main_gpu', { modelDefaultParams: () => ({ ...real.modelDefaultParams(), main_gpu: 7 }) }],
      ['mtmd_context_params.warmup', { mtmdDefaultParams: () => ({ ...real.mtmdDefaultParams(), warmup: false }) }],
    ])('a different one is refused: %s', (message, changed) => {
      expect(() => checkVisionBackend({ ...real, ...changed }, 'x')).toThrow(message);
    });
  });
});
