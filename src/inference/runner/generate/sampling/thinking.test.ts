import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ThinkingInput } from '../../../protocol/messages.ts';
import { Thinking } from './thinking.ts';
import { toBytes } from './watched-text.ts';

const tags: ThinkingInput = { open: '<think>', close: '</think>', begun: false };

/** Accepts a token for each piece until the content begins. Returns the text that is forced after the last one. */
function follow(thinking: Thinking, pieces: readonly string[]): string {
  for (const [token, piece] of pieces.entries()) {
    if (thinking.phase === 'content') break;
    thinking.accept(thinking.after({ token, text: toBytes(piece) }));
  }
  return thinking.takeForced();
}

describe('the tokens of the thinking', () => {
  test.each<[string, readonly string[], Partial<ThinkingInput>, number]>([
    ['up to the closing tag', ['<think>', 'Hm', '.', '</think>', 'Yes'], {}, 4],
    ['in any pieces', [' <thi', 'nk>H', 'm.</', 'think>\nYes', '.'], {}, 4],
    ['after an opening tag in the prompt', ['Hm', '</think>', 'Yes'], { begun: true }, 2],
    ['all, if the tag is not closed', ['<think>', 'Hm', '.'], {}, 3],
    ['none, if the model answers at once', ['Yes', '.'], {}, 0],
    ['none, if a tag follows later', ['Yes', '<think>', 'Hm', '</think>'], {}, 0],
    ['none, if no tag has been written', ['\n', '<thi'], {}, 0],
  ])('%s', (_, pieces, more, tokens) => {
    const thinking = new Thinking({ ...tags, ...more });
    expect(follow(thinking, pieces)).toBe('');
    expect(thinking.tokens).toBe(tokens);
  });
});

describe('a budget', () => {
  test.each<[string, readonly string[], string]>([
    ['closes the thinking', ['<think>', 'Hm', '.'], '\n</think>\n\n'],
    ['adds no second newline', ['<think>', 'Hm', '.\n'], '</think>\n\n'],
    ['completes a closing tag', ['<think>', 'Hm', '</th'], 'ink>\n\n'],
    ['completes an opening tag', ['\n', '<', 'thi'], 'nk>\n</think>\n\n'],
    ['writes both tags', ['\n', '\n', '\n'], '<think>\n</think>\n\n'],
  ])('%s', (_, pieces, forced) => {
    const thinking = new Thinking({ ...tags, budget: 3 });
    expect(follow(thinking, pieces)).toBe(forced);
    expect([thinking.phase, thinking.tokens]).toEqual(['content', 3]);
    expect(thinking.takeForced()).toBe('');
  });

  test.each([
    ['is not used up by thinking that closes with the last token', ['<think>', 'Hm', '</think>']],
    ['says nothing about an answer without thinking', ['Yes', ',', 'of', 'course']],
  ])('%s', (_, pieces) => {
    expect(follow(new Thinking({ ...tags, budget: 3 }), pieces)).toBe('');
  });
});

test('the content begins where the closing tag ends', () => {
  const thinking = new Thinking({ ...tags, begun: true });
  expect(thinking.after({ token: 7, text: 'Hm</think>\n{' })).toEqual({
    phase: 'content',
    recent: [{ token: 7, text: 'Hm</think>\n{' }],
    skipped: 'Hm</think>'.length,
  });
  expect(thinking.phase).toBe('thinking');
});

test('with a budget, every answer that begins to think has its closing tag, whatever the pieces', () => {
  const words = fc.array(fc.constantFrom('<think>', '</think>', '<', '/think>', 'é', '\n', 'x'), { maxLength: 12 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 6 }), (pieces, budget) => {
      const thinking = new Thinking({ ...tags, begun: true, budget });
      const forced = follow(thinking, pieces);
      const read = pieces.slice(0, thinking.tokens).join('');
      if (pieces.length >= budget || thinking.phase === 'content') expect(read + forced).toContain('</think>');
      expect(thinking.tokens).toBeLessThanOrEqual(budget);
      if (forced !== '') expect(thinking.tokens).toBe(budget);
    }),
  );
});
