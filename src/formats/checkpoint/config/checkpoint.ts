// A checkpoint that is being converted, as families and tokenizers see it.

import type { CheckpointFolder } from '../files/checkpoint-folder.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { FloatType } from '../tensors/number-formats.ts';
import type { NamedTensor } from '../tensors/source-tensors.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import type { Module } from './modules.ts';

export interface Checkpoint {
  readonly folder: CheckpointFolder;
  readonly config: ConfigObject;
  readonly parameters: Hyperparameters;
  /** The architecture in config.json. */
  readonly model: string;
  /** The type of matrices in the result. */
  readonly type: FloatType;
  /** The tensors that are converted. */
  readonly tensors: readonly NamedTensor[];
  /** The modules of sentence-transformers. */
  readonly modules: readonly Module[];
}
