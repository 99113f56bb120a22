// What the image encoder of a family needs to be converted to a projector file. One file per family; find-tower.ts has the
// table.

import type { Metadata } from '../config/metadata.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { FloatType } from '../tensors/number-formats.ts';
import type { NamedPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import type { TensorNames } from '../tensors/tensor-names.ts';
import type { TowerSettings } from './tower-settings.ts';

export interface VisionTower {
  /** The architectures in config.json. */
  readonly models: readonly string[];
  /** Values that transformers assumes if `vision_config` does not have them. */
  readonly defaults: (config: ConfigObject) => ConfigObject;
  /** The names of layers get the prefix `v.`; the others are complete. */
  readonly names: TensorNames;
  /** The name in the form of `names`; undefined for a tensor of another part of the model. */
  readonly rename: (name: string) => string | undefined;
  /** `name` is the result of `rename`. Without it, tensors stay as they are. */
  readonly split?: (tensor: SourceTensor, name: string) => readonly NamedPiece[] | undefined;
  /** The type of a tensor whose type does not follow from its shape. `name` is that of the result. */
  readonly typeOf: (name: string, type: FloatType) => FloatType | undefined;
  /** Writes what follows the common settings. */
  readonly describe: (settings: TowerSettings, metadata: Metadata) => void;
}
