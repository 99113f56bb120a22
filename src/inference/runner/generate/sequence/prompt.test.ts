import { describe, expect, test } from 'vitest';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { PromptImage } from '../../vision/image-positions.ts';
import { countTokens, cutMiddle, preparePrompt, splitAtImages, truncatePrompt } from './prompt.ts';

/** A character is a token; 1 is the BOS token. */
function vocabulary(addsBos = false): Vocabulary {
  return {
    pointer: 0n as Vocabulary['pointer'],
    size: 256,
    addsBos,
    tokenize: (text, { addSpecial }) => [
      ...(addSpecial && addsBos ? [1] : []),
      ...Array.from(text, (c) => c.charCodeAt(0)),
    ],
    segmentsOf: (text) => [{ text, special: false }],
    pieceOf: (token) => Buffer.from([token]),
    isEnd: () => false,
    endTokens: () => [],
    isControl: () => false,
    isNewline: () => false,
    isBos: (token) => token === 1,
  };
}

const codes = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

describe('preparePrompt', () => {
  const prepare = (prompt: string, extra = {}, addsBos = false, length = 100) =>
    preparePrompt(vocabulary(addsBos), { context: [], prompt, numKeep: 4, ...extra }, length);

  test('a prompt that fits is unchanged', () => {
    expect(prepare('hello')).toEqual({ tokens: codes('hello'), images: [], keep: 4, dropped: 0 });
  });

  test('the context comes before the text', () => {
    expect(prepare('b', { context: [97] }).tokens).toEqual(codes('ab'));
  });

  test('the BOS token comes once, whether or not the template has it', () => {
    expect(prepare('a', {}, true).tokens).toEqual([1, 97]);
    expect(prepare('\u0001a', {}, true).tokens).toEqual([1, 97]);
    expect(prepare('b', { context: [97] }, true).tokens).toEqual([1, 97, 98]);
    expect(prepare('b', { context: [1, 97] }, true).tokens).toEqual([1, 97, 98]);
  });

  test('num_keep: none, all, and the BOS token in addition', () => {
    expect(prepare('hello', { numKeep: 0 }).keep).toBe(0);
    expect(prepare('hello', { numKeep: -1 }).keep).toBe(5);
    expect(prepare('hello', { numKeep: 2 }, true).keep).toBe(3);
    expect(prepare('x'.repeat(50), { numKeep: 1000 }, false, 20).keep).toBe(16);
  });

  test.each([{ truncate: false }, { shift: false }])(
    'with %j a prompt longer than the context is an error',
    (options) => {
      expect(() => prepare('x'.repeat(20), options, false, 20)).toThrow('longer than the context: it has 20 tokens');
      expect(prepare('x'.repeat(19), options, false, 20).dropped).toBe(0);
    },
  );

  test('a prompt that fills the context loses its middle', () => {
    const { tokens, dropped } = prepare('abcdefghijklmnopqrst', { numKeep: 2 }, false, 10);
    expect(tokens).toEqual(codes('abqrst'));
    expect(dropped).toBe(14);
  });

  test.each([[[-1]], [[256]], [[1.5]], [[Number.NaN]]])('the context %j is rejected', (context) => {
    expect(() => prepare('a', { context })).toThrow('is not a token of this model');
  });

  test('an empty prompt is rejected', () => {
    expect(() => prepare('')).toThrow('the prompt has no tokens');
  });
});

describe('images in a prompt', () => {
  /** An image of `count` tokens, with a text token before it. */
  const imageOf = (number: number, count = 3): PromptImage => ({
    tokens: [5, ...Array.from({ length: count }, (_, index) => -100 * (number + 1) - index)],
    chunks: [{ offset: 1, count, positions: count, prepare: () => true, evaluate: () => 'done' }],
  });
  const prepare = (prompt: string, images: readonly PromptImage[], extra = {}, length = 100) => {
    const encode = (number: number) => images[number];
    return preparePrompt(vocabulary(), { context: [], prompt, numKeep: 0, encode, ...extra }, length);
  };
  const two = [imageOf(0), imageOf(1)];

  test('replace their tags', () => {
    const { tokens, images } = prepare('a[img-1]b[img-0]c', two);
    expect(tokens).toEqual([97, 5, -200, -201, -202, 98, 5, -100, -101, -102, 99]);
    expect(images.map(({ start, image }) => [start, two.indexOf(image)])).toEqual([
      [1, 1],
      [6, 0],
    ]);
  });

  test('a tag without an image is text, and so is a second tag of the same image', () => {
    expect(prepare('[img-7]a', two).tokens).toEqual(codes('[img-7]a'));
    expect(prepare('[img-0][img-0]', two).tokens).toEqual([5, -100, -101, -102, ...codes('[img-0]')]);
    expect(prepare('[img-]', two).tokens).toEqual(codes('[img-]'));
  });

  test('a prompt that ends with an image gets a newline, because an image has no logits', () => {
    expect(prepare('a[img-0]', two).tokens).toEqual([97, 5, -100, -101, -102, 10]);
  });

  test('the BOS token comes before an image at the start', () => {
    const { tokens, images, keep } = preparePrompt(
      vocabulary(true),
      { context: [], prompt: '[img-0]b', numKeep: 0, encode: (number) => two[number] },
      100,
    );
    expect(tokens).toEqual([1, 5, -100, -101, -102, 98]);
    expect(images[0]?.start).toBe(1);
    expect(keep).toBe(1);
  });

  test('num_keep does not split an image', () => {
    for (const [numKeep, keep] of [
      [1, 1],
      [2, 2],
      [3, 2],
      [5, 2],
      [6, 6],
    ]) {
      expect(prepare('ab[img-0]cd', two, { numKeep }).keep).toBe(keep);
    }
  });

  test('an image that does not fit is removed entirely', () => {
    for (let before = 0; before < 40; before++) {
      const text = `${'x'.repeat(before)}[img-0]${'y'.repeat(40 - before)}[img-1]z`;
      const { tokens, images, dropped } = prepare(text, two, { numKeep: 3 }, 20);
      expect(tokens.length + dropped).toBe(49);
      expect(tokens.length).toBeLessThan(20);
      expect(tokens.filter((token) => token < 0)).toHaveLength(3 * images.length);
      for (const { start, image } of images) {
        expect(tokens.slice(start, start + image.tokens.length)).toEqual(image.tokens);
      }
      expect(tokens.at(-1)).toBe('z'.charCodeAt(0));
    }
  });

  test('an image larger than the context is rejected', () => {
    expect(() => prepare('a[img-0]b', [imageOf(0, 30)], {}, 20)).toThrow(
      'an image takes 31 tokens, which a context of 20 cannot hold; raise num_ctx',
    );
  });

  test('are counted with their tokens', () => {
    const options = { contextLength: 100, images: 1, imageTokens: 64 };
    expect(countTokens(vocabulary(), 'ab[img-0]c[img-1]', options)).toBe(3 + 64 + '[img-1]'.length);
    expect(countTokens(vocabulary(), 'ab[img-0]', { ...options, images: 0 })).toBe('ab[img-0]'.length);
  });

  test('texts and numbers alternate', () => {
    expect(splitAtImages('[img-0]a[img-1][img-2]', (number) => number < 2)).toEqual(['', 0, 'a', 1, '[img-2]']);
  });
});

test('truncatePrompt always leaves a part of the end, and room to answer', () => {
  for (let length = 4; length < 40; length++) {
    for (let keep = 0; keep <= length - 4; keep++) {
      const { tokens } = truncatePrompt({ tokens: codes(`${'x'.repeat(99)}y`), images: [], keep, dropped: 0 }, length);
      expect(tokens.at(-1)).toBe('y'.charCodeAt(0));
      expect(tokens.length).toBeLessThan(length);
    }
  }
});

test('a text that is far too long is cut before it is tokenized', () => {
  expect(cutMiddle('abcdefgh', 4)).toBe('abgh');
  expect(cutMiddle('abc', 4)).toBe('abc');
});
