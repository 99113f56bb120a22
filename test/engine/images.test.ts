// Images: Ember with its projector, over the vision build.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, GenerateRequest, Lease, ModelFiles } from '../../src/inference/engine/ports.ts';
import { bindVisionLlama } from '../../src/inference/runner/llama/bindings/b10257.ts';
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
  emberFiles,
  longText,
  never,
  requestOf,
  startEngine,
} from '../support/engine.ts';
import { colours, drawJpeg, drawPng, encodePng } from '../support/models/draw.ts';
import { repository } from '../support/repository.ts';

const files: ModelFiles = {
  ...emberFiles,
  key: 'ember-eyes',
  projectorPath: repository('models/ember-eyes-mmproj-f16.gguf'),
};
const acquireVisionModel = (
  from: Engine,
  options: OptionValues = {},
  changed: Partial<ModelFiles> = {},
): Promise<Lease> =>
  from.acquire({ name: 'ember-eyes', files: { ...files, ...changed }, options: resolveOptions(options).load }, never);

let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  lease = await acquireVisionModel(engine);
});
afterAll(() => engine.close(0));

const imageTokens = 64;
const circle = drawPng({ shape: 'circle', colour: colours.red });
const square = drawPng({ shape: 'square', colour: colours.blue });
const triangle = drawPng({ shape: 'triangle', colour: colours.green });

interface ImageQuestion {
  readonly images: readonly Buffer[];
  readonly prompt?: string;
  readonly options?: OptionValues;
  readonly extra?: Partial<GenerateRequest>;
  readonly on?: Lease;
}

const describeImage = ({
  images,
  prompt = chatml('[img-0]Describe the image.'),
  options,
  extra,
  on = lease,
}: ImageQuestion) =>
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
    ['a yellow circle, larger', drawPng({ shape: 'circle', colour: colours.yellow, width: 500, height: 500 })],
    ['a blue circle, as JPEG', drawJpeg({ shape: 'circle', colour: colours.blue })],
  ])('%s', async (name, image) => {
    const { text, started } = await describeImage({ images: [image] });
    const words = name.replace(/,.*/, '');
    expect(text).toBe(`${words.charAt(0).toUpperCase()}${words.slice(1)} on a white background.`);
    const without = await lease.countTokens(chatml('Describe the image.'));
    expect(started.promptTokens).toBe(without + imageTokens);
  });

  test('the image of the mark, by its number', async () => {
    const prompt = chatml('[img-1]Describe the image.');
    expect((await describeImage({ images: [circle, square], prompt })).text).toBe(
      'A blue square on a white background.',
    );
  });

  test('several at once, with text requests, each its own', async () => {
    const seen = { circle: 'A red circle', square: 'A blue square', triangle: 'A green triangle' };
    const answers = await Promise.all([
      describeImage({ images: [circle] }),
      askEmber(lease, 'What is 23 + 19?', { temperature: 0 }),
      describeImage({ images: [square] }),
      describeImage({ images: [triangle] }),
      askEmber(lease, 'Who are you?', { temperature: 0 }),
      describeImage({ images: [square] }),
    ]);
    const expected = [seen.circle, '23 + 19 = 42', seen.square, seen.triangle, 'My name is Ember', seen.square];
    answers.forEach(({ text }, index) => {
      expect(text).toContain(expected[index]);
    });
  });

  test('two images in one prompt', async () => {
    const prompt = chatml('[img-0][img-1]Describe the image.');
    const { started, text } = await describeImage({ images: [circle, square], prompt });
    expect(started.promptTokens).toBe(
      (await lease.countTokens(prompt.replaceAll(/\[img-\d\]/g, ''))) + 2 * imageTokens,
    );
    expect(text).not.toBe('');
  });
});

describe('nothing is evaluated twice', () => {
  const fresh = (side: number) => drawPng({ shape: 'square', colour: colours.yellow, width: side, height: side });

  test('the same prompt with the same image', async () => {
    const images = [fresh(60)];
    let repeated: Answer | undefined;
    const { encoded } = await encodedBy(async () => {
      await describeImage({ images });
      repeated = await describeImage({ images });
    });
    expect(encoded).toBe(1);
    expect(repeated?.started.cachedTokens).toBe((repeated?.started.promptTokens ?? 0) - 1);
  });

  test('the next turn of a conversation', async () => {
    const images = [fresh(61)];
    const prompt = chatml('[img-0]Describe the image.');
    const first = await describeImage({ images, prompt });
    let second: Answer | undefined;
    const { encoded, cached } = await encodedBy(async () => {
      second = await describeImage({
        images,
        prompt: `${prompt}${first.text}<|im_end|>\n${chatml('What colour is it?')}`,
      });
    });
    expect({ encoded, cached }).toEqual({ encoded: 0, cached: 0 });
    expect(second?.started.cachedTokens).toBeGreaterThanOrEqual(first.started.promptTokens);
  });

  test('a cached image after another text is evaluated, but not encoded', async () => {
    const images = [fresh(62)];
    const counts = await encodedBy(async () => {
      await describeImage({ images });
      const prompt = `<|im_start|>system\nYou are a painter.<|im_end|>\n${chatml('[img-0]Describe the image.')}`;
      const { started, text } = await describeImage({ images, prompt });
      expect(started.cachedTokens).toBe(0);
      expect(text).toContain('yellow square');
    });
    expect(counts).toEqual({ encoded: 1, cached: 1 });
  });

  test('eight requests with the same image at once', async () => {
    const images = [fresh(63)];
    const counts = await encodedBy(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => describeImage({ images })));
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['A yellow square on a white background.']));
    });
    expect(counts).toEqual({ encoded: 1, cached: 0 });
  });
});

describe('unusable images', () => {
  test.each([
    ['a damaged PNG', encodePng({ width: 50, height: 50, data: Buffer.from('not compressed') })],
    ['bytes', Buffer.from('neither image nor audio nor video')],
    ['nothing', Buffer.alloc(0)],
  ])('%s: the request is rejected, and the next one is answered', async (_, image) => {
    await expect(describeImage({ images: [image] })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'the image cannot be read: it is damaged',
    });
    expect((await describeImage({ images: [circle] })).text).toBe('A red circle on a white background.');
  });

  test('a mark without an image is text', async () => {
    const prompt = chatml('[img-7]What is 23 + 19?');
    const { started } = await describeImage({ images: [circle], prompt, options: { numPredict: 1 } });
    expect(started.promptTokens).toBe(await lease.countTokens(prompt));
  });

  test.each([
    [1, 1],
    [1, 3000],
    [3000, 1],
  ])('%i x %i pixels are accepted', async (width, height) => {
    const image = drawPng({ shape: 'square', colour: colours.red, width, height });
    const { done } = await describeImage({ images: [image], options: { numPredict: 3 } });
    expect(done.stats.generatedTokens).toBeGreaterThan(0);
  });
});

describe('options work with images', () => {
  test('stop, seed, grammar, penalties', async () => {
    expect((await describeImage({ images: [circle], options: { stop: [' on'] } })).text).toBe('A red circle');
    const random = { temperature: 1.5, seed: 4, repeatPenalty: 1.3, repeatLastN: -1 };
    const [a, b] = [
      await describeImage({ images: [circle], options: random }),
      await describeImage({ images: [circle], options: random }),
    ];
    expect(a.text).toBe(b.text);
    const grammar = 'root ::= "It is " ("red" | "blue" | "green") "."';
    expect((await describeImage({ images: [circle], extra: { grammar } })).text).toBe('It is red.');
  });

  test('a context has no images, and can be sent back', async () => {
    const { done, started } = await describeImage({ images: [circle], extra: { wantContext: true } });
    const context = done.context ?? [];
    expect(context.every((token) => token >= 0)).toBe(true);
    expect(context).toHaveLength(started.promptTokens - imageTokens + done.stats.generatedTokens);
    const next = await answerOf(
      lease.generate(requestOf(chatml('Who are you?'), { temperature: 0 }, { context }), never),
    );
    expect(next.text).not.toBe('');
  });

  test('tokens of images are counted', async () => {
    const prompt = chatml('[img-0]Describe the image.');
    const { started } = await describeImage({ images: [circle], prompt, options: { numPredict: 1 } });
    expect(await lease.countTokens(prompt, 1)).toBe(started.promptTokens);
  });

  test('a request that is canceled before its image is evaluated has no effect on others', async () => {
    const controller = new AbortController();
    const image = drawPng({ shape: 'circle', colour: colours.green, width: 70, height: 70 });
    const request = requestOf(chatml('[img-0]Describe the image.'), {}, { images: [image] });
    const answers = answerOf(lease.generate(request, controller.signal));
    setTimeout(() => controller.abort(), 5);
    await expect(answers).rejects.toMatchObject({ code: 'cancelled' });
    expect((await describeImage({ images: [circle] })).text).toBe('A red circle on a white background.');
  });
});

describe('a context that is too small', () => {
  let small: Lease;
  beforeAll(async () => {
    small = await acquireVisionModel(engine, { numCtx: 160 }, { key: 'small' });
  });

  test('a long text before the image is cut, the image stays complete', async () => {
    const prompt = chatml(`${longText(150)} [img-0]Describe the image.`);
    const { started } = await describeImage({
      images: [circle],
      prompt,
      on: small,
      options: { numPredict: 1, numKeep: 0 },
    });
    expect(started.droppedTokens).toBeGreaterThan(0);
    expect(started.promptTokens).toBeGreaterThan(imageTokens);
    expect(started.promptTokens).toBeLessThanOrEqual(80);
  });

  test('an image at the cut is removed entirely', async () => {
    const prompt = chatml(`[img-0] ${longText(120)} Describe the image.`);
    const { started } = await describeImage({ images: [circle], prompt, on: small, options: { numPredict: 1 } });
    expect(started.droppedTokens).toBeGreaterThanOrEqual(imageTokens);
    expect(started.promptTokens).toBeLessThan(100);
  });

  test('a longer answer continues through shifts that remove the image', async () => {
    // An answer that does not end by itself.
    const grammar = 'root ::= word{60}\nword ::= [a-z]{20} " "';
    const options = { temperature: 1.5, seed: 1, repeatPenalty: 1, numPredict: 200, numKeep: 0 };
    const prompt = '[img-0]Once upon a time';
    const { done } = await describeImage({ images: [circle], prompt, on: small, options, extra: { grammar } });
    expect(done.stats.generatedTokens).toBe(200);
    expect((await countersOf(small)).contextShifts).toBeGreaterThan(0);
    expect((await describeImage({ images: [circle], on: small })).text).toBe('A red circle on a white background.');
  });

  test('a context smaller than the image is an error', async () => {
    const tiny = await acquireVisionModel(engine, { numCtx: 40 }, { key: 'tiny' });
    await expect(describeImage({ images: [circle], on: tiny })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'an image takes 64 tokens, which a context of 40 cannot hold; raise num_ctx',
    });
    tiny.release();
  });
});

describe('loading', () => {
  test('a text model treats the mark as text', async () => {
    const textModel = await acquireEmber(engine, { numCtx: 256 });
    const { started } = await describeImage({ images: [circle], on: textModel, options: { numPredict: 1 } });
    expect(started.promptTokens).toBe(await textModel.countTokens(chatml('[img-0]Describe the image.')));
    textModel.release();
  });

  test.each([
    ['a model', emberFiles.weightsPath, /the projector does not fit the model/],
    ['no GGUF', repository('models/README.md'), /README|GGUF/i],
  ])('%s instead of a projector is rejected', async (_, projectorPath, message) => {
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

  describe('the vision build', () => {
    // Only here: two llama.cpp builds in one process would conflict.
    const real: CheckedVisionFunctions = bindVisionLlama(findVisionBackend('cpu'));

    test('that is installed matches the structs', () => {
      expect(() => checkVisionBackend(real, 'installed')).not.toThrow();
    });

    test.each([
      ['it is version 2.0.0', { version: () => '2.0.0' }],
      ['llama_model_params.main_gpu', { modelDefaultParams: () => ({ ...real.modelDefaultParams(), main_gpu: 7 }) }],
      ['llama_context_params.type_v', { contextDefaultParams: () => ({ ...real.contextDefaultParams(), type_v: 0 }) }],
      ['mtmd_context_params.warmup', { mtmdDefaultParams: () => ({ ...real.mtmdDefaultParams(), warmup: false }) }],
    ])('with other values is rejected: %s', (message, changed) => {
      expect(() => checkVisionBackend({ ...real, ...changed }, 'x')).toThrow(message);
    });
  });
});
