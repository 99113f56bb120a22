import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { collectStream, toCheckpointFiles } from '../../../../test/support/checkpoints/memory-files.ts';
import type { Files } from '../../../../test/support/checkpoints/tokenizers.ts';
import { visionCheckpoints, wholeVisionCheckpoints } from '../../../../test/support/checkpoints/vision-checkpoints.ts';
import { encodeSafetensors } from '../../../../test/support/checkpoints/write-safetensors.ts';
import { convertCheckpoint } from '../convert-checkpoint.ts';
import { convertProjector } from './convert-projector.ts';

/** SHA-256 of the results, as in convert-checkpoint.test.ts. */
const digests: Readonly<Record<string, string>> = {
  smolvlm: 'd0667e9baecc42ed54190e05587eecf0ec0b665409e0b8798f43dcd7293e5cd3',
  'gemma-3': '04695f8ea79ca51101a66d47d8a11cafa81282ea880303b5b272ed919061a3c9',
  'qwen-2.5-vl': '5900eedd3c74effbdf5303367eeebc57c5641c8523688829da2e0bd027ba4cf6',
};

const filesOf = (name: string): Files => visionCheckpoints[name]?.() as Files;
const convert = async (files: Files, name = 'test') => convertProjector(toCheckpointFiles(files), { name });

function withConfig(files: Files, change: (config: Record<string, Record<string, unknown>>) => void): Files {
  const config = JSON.parse(String(files['config.json'])) as Record<string, Record<string, unknown>>;
  change(config);
  return { ...files, 'config.json': Buffer.from(JSON.stringify(config)) };
}

describe('the result is the one that was compared with llama.cpp', () => {
  test.each(Object.keys(visionCheckpoints))('%s', async (name) => {
    const converted = await convert(filesOf(name), name);
    const bytes = await collectStream(converted);
    expect(bytes.length).toBe(converted.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(digests[name]);
  });
});

test.each(wholeVisionCheckpoints)('%s: the text model says that there is an image encoder', async (name) => {
  const files = filesOf(name);
  expect((await convertCheckpoint(toCheckpointFiles(files), { name })).hasVision).toBe(true);
  const { 'preprocessor_config.json': _, ...others } = files;
  expect((await convertCheckpoint(toCheckpointFiles(others), { name })).hasVision).toBe(false);
});

describe('a forged checkpoint is refused', () => {
  const smolvlm = filesOf('smolvlm');
  const qwen = filesOf('qwen-2.5-vl');
  const preprocessor = (value: object): Files => ({
    ...smolvlm,
    'preprocessor_config.json': Buffer.from(JSON.stringify(value)),
  });
  const vision = (files: Files, change: object): Files =>
    withConfig(files, (config) => Object.assign(config['vision_config'] as object, change));

  test.each<[string, Files, RegExp]>([
    ['no encoder', withConfig(smolvlm, (config) => delete config['vision_config']), /no image encoder that is known/],
    ['no colors', preprocessor({}), /no image_mean with three numbers/],
    ['other colors', preprocessor({ image_mean: [1, 2], image_std: [1, 1, 1] }), /no image_mean with three numbers/],
    ['a size that is no number', vision(smolvlm, { patch_size: '8' }), /patch_size of its image encoder/],
    ['an epsilon that is no number', vision(smolvlm, { layer_norm_eps: 'x' }), /layer_norm_eps of its image encoder/],
    ['too many layers', vision(smolvlm, { num_hidden_layers: 1e6 }), /1000000 layers; the limit is/],
    ['uneven windows', vision(qwen, { fullatt_block_indexes: [1, 2] }), /not evenly distributed/],
    ['windows that are no list', vision(qwen, { fullatt_block_indexes: 7 }), /not a list of layers/],
    [
      'an unknown tensor',
      { ...smolvlm, 'model.safetensors': encodeSafetensors([{ name: 'model.connector.x', shape: [2], type: 'F32' }]) },
      /a tensor that is not known: model\.connector\.x/,
    ],
    [
      'patches of three frames',
      {
        ...qwen,
        'model.safetensors': encodeSafetensors([
          { name: 'visual.patch_embed.proj.weight', shape: [4, 3, 3, 8, 8], type: 'F16' },
        ]),
      },
      /not for patches of 2 frames/,
    ],
  ])('%s', async (_, files, message) => {
    await expect(convert(files)).rejects.toThrow(message);
  });
});
