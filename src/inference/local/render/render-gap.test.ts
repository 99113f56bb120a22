import { expect, test } from 'vitest';
import type { Lease } from '../../engine/ports.ts';
import type { Gap } from '../../model/model.ts';
import { newestThatFit, planRoom, renderGap } from './render-gap.ts';

const tokens = { before: 1001, after: 1002, gap: 1003, project: 1004, file: 1005 };
const gap: Gap = { before: 'ab', line: 'c', after: 'de', files: [], answerTokens: 100 };

/** A character is a token. */
async function render(given: Partial<Gap>, { contextLength = 4096, marks = tokens as object } = {}): Promise<string> {
  const lease = {
    model: { info: { contextLength } },
    tokenize: async (text: string) => [...Buffer.from(text)],
  } as unknown as Lease;
  const prompt = await renderGap({ ...gap, ...given }, { tokens: { ...tokens, ...marks }, lease });
  const names = new Map<number, string>(Object.entries(tokens).map(([name, token]) => [token, `<${name}>`]));
  return prompt.tokens.map((token) => names.get(token) ?? String.fromCharCode(token)).join('');
}

const files = [
  { name: 'x.c', text: 'X' },
  { name: 'y.c', text: 'Y' },
];

test('the texts around the gap, and other files before them', async () => {
  expect(await render({})).toBe('<before>abc<after>de<gap>');
  const others = '<project>project\n<file>x.c\nX<file>y.c\nY<file>current\n';
  expect(await render({ files })).toBe(`${others}<before>abc<after>de<gap>`);
});

test('a model without a token for files gets lines between them', async () => {
  const prompt = await render({ files }, { marks: { project: undefined, file: undefined } });
  expect(prompt).toBe('\n\n--- x.c ---\n\nX\n\n--- y.c ---\n\nY<before>abc<after>de<gap>');
});

test('a short context keeps what is next to the gap', async () => {
  const far = { before: `${'f'.repeat(500)}near`, after: `next${'f'.repeat(500)}`, answerTokens: 16 };
  const prompt = await render(far, { contextLength: 64 });
  expect(prompt).toMatch(/^<before>f+nearc<after>nextf+<gap>$/);
  expect(prompt.replaceAll(/<\w+>/g, '_').length).toBeLessThan(64 - 16);
  expect(await render({ ...far, files }, { contextLength: 64 })).toContain('<file>y.c\nY');
});

test('the room for files does not depend on the texts, so that the beginning of the prompt is stable', () => {
  expect(planRoom({ contextLength: 8192, answerTokens: 128, hasFiles: true })).toEqual({ near: 2048, files: 6008 });
  expect(planRoom({ contextLength: 2048, answerTokens: 128, hasFiles: true })).toEqual({ near: 956, files: 956 });
  expect(planRoom({ contextLength: 2048, answerTokens: 128, hasFiles: false })).toEqual({ near: 1912, files: 0 });
  expect(planRoom({ contextLength: 8, answerTokens: 9000, hasFiles: true })).toEqual({ near: 0, files: 0 });
});

test('of the files that do not fit, the oldest are left out', () => {
  expect(newestThatFit(['aa', 'bb', 'c'], 5)).toEqual(['bb', 'c']);
  expect(newestThatFit(['aa', 'bb', 'c'], 0)).toEqual([]);
  expect(newestThatFit(['aa', 'bb', 'c'], 8)).toEqual(['aa', 'bb', 'c']);
});
