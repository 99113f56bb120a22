import { expect, test } from 'vitest';
import { toCheckpointFiles } from '../../../../test/support/checkpoints/memory-files.ts';
import { bytePairFiles, preTokenizers } from '../../../../test/support/checkpoints/tokenizers.ts';
import { openCheckpoint } from '../files/checkpoint-folder.ts';
import { preTokenizerOf } from './pre-tokenizer.ts';
import { readTokenizerFiles } from './tokenizer-files.ts';

const filesOf = (pre: keyof typeof preTokenizers) =>
  readTokenizerFiles(openCheckpoint(toCheckpointFiles(bytePairFiles({ pre }))));

test.each(Object.keys(preTokenizers) as (keyof typeof preTokenizers)[])(
  '%s is recognized by its steps',
  async (pre) => {
    expect(preTokenizerOf(await filesOf(pre))).toBe(pre);
  },
);

test('a split that removes all but the matches is the same', async () => {
  const files = await filesOf('qwen2');
  const text = JSON.stringify(files.json).replace(
    '"behavior":"Isolated","invert":false',
    '"behavior":"Removed","invert":true',
  );
  expect(preTokenizerOf({ ...files, json: JSON.parse(text) })).toBe('qwen2');
});

test('a split that drops the matches is not', async () => {
  const files = await filesOf('qwen2');
  const text = JSON.stringify(files.json).replace('"behavior":"Isolated"', '"behavior":"Removed"');
  expect(() => preTokenizerOf({ ...files, json: JSON.parse(text) })).toThrow('is not known (other split');
});
