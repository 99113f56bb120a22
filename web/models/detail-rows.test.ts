import { expect, test } from 'vitest';
import { metadataRows, parameterRows } from './detail-rows.ts';

test('parameters', () => {
  expect(parameterRows('num_ctx                        4096\nstop                           "<|im_end|>"\n\n')).toEqual(
    [
      ['num_ctx', '4096'],
      ['stop', '"<|im_end|>"'],
    ],
  );
});

test('metadata: what was left out is not listed, long values are cut', () => {
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': 4096,
    'tokenizer.ggml.tokens': null,
    long: 'x'.repeat(400),
  };
  expect(metadataRows(metadata)).toEqual([
    ['general.architecture', 'llama'],
    ['llama.context_length', '4096'],
    ['long', `${'x'.repeat(300)}…`],
  ]);
});
