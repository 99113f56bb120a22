// What a family of models needs to be converted. One file per family; find-family.ts has the table.

import type { CheckpointFolder } from '../checkpoint-folder.ts';
import type { Hyperparameters } from '../config/hyperparameters.ts';
import type { JsonObject } from '../config/json-object.ts';
import type { Metadata } from '../metadata.ts';
import type { FloatType } from '../tensors/number-formats.ts';
import type { OutputTensor, TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import type { TensorNames } from '../tensors/tensor-names.ts';

export interface Family {
  /** The architectures in config.json. */
  readonly models: readonly string[];
  /** llama.cpp's name of the architecture. */
  readonly architecture: string;
  /** Values that transformers assumes if config.json does not have them. */
  readonly defaults: (config: JsonObject) => JsonObject;
  readonly names: TensorNames;
  /** The name in the form of `names`, or undefined for a tensor that is left out. */
  readonly rename?: (name: string, model: string) => string | undefined;
  /** `name` is the result of `rename`. Also applied to the matrices of adapters. */
  readonly change?: (tensor: SourceTensor, name: string, checkpoint: Pick<Checkpoint, 'parameters'>) => TensorPiece;
  /** Experts of one layer become one tensor. */
  readonly experts?: ExpertNames;
  /** Tensors that are computed from config.json. They come first. */
  readonly extraTensors?: (checkpoint: Checkpoint) => OutputTensor[];
  /** Writes the hyperparameters. */
  readonly describe: (checkpoint: Checkpoint, metadata: ModelMetadata) => void;
  readonly writeTokenizer: (checkpoint: Checkpoint, metadata: Metadata) => Promise<void>;
}

export interface ExpertNames {
  /** In a layer: the number of the expert and the name of its matrix. */
  readonly pattern: RegExp;
  /** The matrices in the order of the result. */
  readonly matrices: Readonly<Record<string, string>>;
}

export interface Checkpoint {
  readonly folder: CheckpointFolder;
  readonly config: JsonObject;
  readonly parameters: Hyperparameters;
  /** The architecture in config.json. */
  readonly model: string;
  /** The type of matrices in the result. */
  readonly type: FloatType;
  /** The settings of sentence-transformers' modules by kind, such as Pooling. */
  readonly modules: ReadonlyMap<string, JsonObject>;
}

/** Metadata whose keys start with the architecture. */
export type ModelMetadata = Pick<Metadata, 'u32' | 'f32' | 'bool' | 'string' | 'strings'>;

export function withArchitecture(metadata: Metadata, architecture: string): ModelMetadata {
  const keyOf = (key: string): string => `${architecture}.${key}`;
  return {
    u32: (key, value) => metadata.u32(keyOf(key), value),
    f32: (key, value) => metadata.f32(keyOf(key), value),
    bool: (key, value) => metadata.bool(keyOf(key), value),
    string: (key, value) => metadata.string(keyOf(key), value),
    strings: (key, value) => metadata.strings(keyOf(key), value),
  };
}
