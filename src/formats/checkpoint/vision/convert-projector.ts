// Converts the image encoder of a checkpoint to a projector file, as llama.cpp's converter does with --mmproj.

import { asObject } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import { Metadata } from '../config/metadata.ts';
import { fileTypes, quantizationVersion } from '../file-types.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { type CheckpointFile, openCheckpoint } from '../files/checkpoint-folder.ts';
import { sizeLabel, writeSampling } from '../general-metadata.ts';
import { type GgufStream, toGgufStream } from '../gguf-stream.ts';
import { guessType } from '../plan-tensors.ts';
import type { FloatType } from '../tensors/number-formats.ts';
import type { OutputTensor } from '../tensors/output-tensor.ts';
import { type NamedTensor, readSourceTensors, type SourceTensor } from '../tensors/source-tensors.ts';
import { mapTensorName } from '../tensors/tensor-names.ts';
import { findTower } from './find-tower.ts';
import {
  colorsIn,
  integerIn,
  layersIn,
  preparationFiles,
  readTowerSettings,
  type TowerSettings,
} from './tower-settings.ts';
import type { VisionTower } from './vision-tower.ts';

/** Whether the checkpoint has an image encoder that can be converted, and says how images are prepared for it. */
export function hasTower({ folder, config }: CheckpointSettings, tensors: readonly SourceTensor[]): boolean {
  const tower = preparationFiles.some(folder.has) ? findTower(config) : undefined;
  return tower !== undefined && selectTower(tower, tensors).length > 0;
}

type CheckpointSettings = Pick<Checkpoint, 'folder' | 'config'>;

/** `name`: the name of the model in its metadata. */
export async function convertProjector(
  files: readonly CheckpointFile[],
  { name }: { readonly name: string },
): Promise<GgufStream> {
  const folder = openCheckpoint(files);
  const config = await folder.readObject('config.json');
  const tower = findTower(config);
  if (tower === undefined) throw unusable('it has no image encoder that is known');
  const sources = selectTower(tower, await readSourceTensors(folder));
  const settings = await readTowerSettings(folder, config, tower.defaults(config));
  const type = guessType(sources);
  const tensors = planTower(tower, sources, type);
  const metadata = new Metadata();
  metadata.string('general.architecture', 'clip');
  metadata.string('general.type', 'mmproj');
  await writeSampling(metadata, folder);
  metadata.string('general.name', name);
  metadata.string('general.size_label', sizeLabel(tensors));
  metadata.u32('general.file_type', fileTypes[type]);
  const clip = metadata.withArchitecture('clip');
  describeTower(settings, clip);
  tower.describe(settings, clip);
  metadata.u32('general.quantization_version', quantizationVersion);
  return toGgufStream(metadata, tensors);
}

function selectTower({ rename }: VisionTower, tensors: readonly SourceTensor[]): NamedTensor[] {
  return tensors.flatMap((source) => {
    const name = rename(source.name);
    return name === undefined ? [] : [{ name, source }];
  });
}

function planTower(
  { names, split, typeOf }: VisionTower,
  sources: readonly NamedTensor[],
  type: FloatType,
): OutputTensor[] {
  return sources.flatMap(({ name, source }) =>
    (split?.(source, name) ?? [{ name, piece: { source } }]).map(({ name: own, piece }): OutputTensor => {
      const target = mapTensorName(own, names)?.replace(/^blk\./, 'v.blk.');
      if (target === undefined) throw unusable(`its image encoder has a tensor that is not known: ${source.name}`);
      const shape = piece.shape ?? piece.source.shape;
      const isPlain = shape.length <= 1 || !/\.weight(?:\.\d)?$/.test(target);
      return { name: target, shape, type: isPlain ? 'F32' : (typeOf(target, type) ?? type), data: [piece] };
    }),
  );
}

function describeTower({ config, vision, preprocessor }: TowerSettings, metadata: Metadata): void {
  const text = { ...config, ...asObject(config['text_config']) };
  metadata.bool('has_vision_encoder', true);
  metadata.u32('vision.projection_dim', integerIn(text, 'hidden_size'));
  metadata.u32('vision.image_size', integerIn(vision, 'image_size'));
  metadata.u32('vision.patch_size', integerIn(vision, 'patch_size'));
  metadata.u32('vision.embedding_length', integerIn(vision, 'hidden_size'));
  metadata.u32('vision.feed_forward_length', integerIn(vision, 'intermediate_size'));
  metadata.u32('vision.block_count', layersIn(vision));
  metadata.u32('vision.attention.head_count', integerIn(vision, 'num_attention_heads', 'num_heads'));
  metadata.f32s('vision.image_mean', colorsIn(preprocessor, 'image_mean'));
  metadata.f32s('vision.image_std', colorsIn(preprocessor, 'image_std'));
}
