import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { adapterFiles } from '../../../test/support/checkpoints/checkpoints.ts';
import { collectStream, toCheckpointFiles } from '../../../test/support/checkpoints/memory-files.ts';
import type { Files } from '../../../test/support/checkpoints/tokenizers.ts';
import { encodeSafetensors } from '../../../test/support/checkpoints/write-safetensors.ts';
import { readGguf } from '../gguf/read-gguf.ts';
import { type AdapterBase, convertAdapter } from './convert-adapter.ts';

const llama: AdapterBase = { architecture: 'llama', heads: 4, keyHeads: 2 };
const convert = async (files: Files, base = llama): Promise<Buffer> =>
  collectStream(await convertAdapter(toCheckpointFiles(files), { name: 'adapter', base }));
const metadataOf = async (files: Files) => {
  const bytes = await convert(files);
  return (await readGguf({ size: bytes.length, readHead: async (length) => bytes.subarray(0, length) })).metadata;
};
const weights = (names: readonly string[]): Buffer =>
  encodeSafetensors(names.map((name) => ({ name, shape: [4, 4], type: 'F32' })));

test('the result is the one that was compared with llama.cpp', async () => {
  const digest = createHash('sha256')
    .update(await convert(adapterFiles()))
    .digest('hex');
  expect(digest).toBe('2cbe026ee8a4d9a61a4b630cf5f303d89b992fbaca3fe5f85e1fdaf928715671');
});

test('the scale of a rank-stabilized adapter is expressed for llama.cpp, which divides by the rank', async () => {
  expect((await metadataOf(adapterFiles())).get('adapter.lora.alpha')).toBe(12);
  expect((await metadataOf(adapterFiles({ use_rslora: true }))).get('adapter.lora.alpha')).toBe(24);
});

describe('is refused with a reason', () => {
  const layer = 'base_model.model.model.layers.0.self_attn.q_proj';
  const cases: Readonly<Record<string, [Files, RegExp]>> = {
    'no weights': [{ 'adapter_config.json': Buffer.from('{}') }, /adapter_model\.safetensors is missing/],
    'no alpha': [adapterFiles({ lora_alpha: null }), /no lora_alpha/],
    'a DoRA': [adapterFiles({ use_dora: true }), /DoRA/],
    'an alpha for each tensor': [adapterFiles({ alpha_pattern: { q_proj: 3 } }), /alpha_pattern/],
    'one matrix of two': [
      { ...adapterFiles(), 'adapter_model.safetensors': weights([`${layer}.lora_A.weight`]) },
      /only one matrix/,
    ],
    'a full matrix': [
      { ...adapterFiles(), 'adapter_model.safetensors': weights(['base_model.model.lm_head.weight']) },
      /not part of a LoRA/,
    ],
    'a tensor that the model does not have': [
      { ...adapterFiles(), 'adapter_model.safetensors': weights(['x.lora_A.weight', 'x.lora_B.weight']) },
      /a llama model has no tensor x\.weight/,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [files, message]) => {
    await expect(convert(files)).rejects.toThrow(message);
  });

  test('an architecture that is not known', async () => {
    await expect(convert(adapterFiles(), { ...llama, architecture: 'mamba' })).rejects.toThrow(
      /known are llama, .*bert/,
    );
  });
});
