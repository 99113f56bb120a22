// What a family of models needs to be converted. One file per family; find-family.ts has the table.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import type { ConfigObject } from '../files/json-object.ts';
import type { NamedPiece, OutputTensor, TensorPiece } from '../tensors/output-tensor.ts';
import type { SourceTensor } from '../tensors/source-tensors.ts';
import type { TensorNames } from '../tensors/tensor-names.ts';

export interface Family {
  /** The architectures in config.json. */
  readonly models: readonly string[];
  /** llama.cpp's name of the architecture. */
  readonly architecture: string;
  /** Values that transformers assumes if config.json does not have them. */
  readonly defaults: (config: ConfigObject) => ConfigObject;
  readonly names: TensorNames;
  /**
   * Whether a checkpoint with this config.json belongs to it; the first of several families with the same model. Hints are
   * its names in other places.
   */
  readonly applies?: (config: ConfigObject, hints: readonly string[]) => boolean;
  /** The quantization method of config.json that it can read. */
  readonly quantization?: string;
  /** The name in the form of `names`, or undefined for a tensor that is left out. `config` has the defaults too. */
  readonly rename?: (name: string, model: string, config: ConfigObject) => string | undefined;
  /** Whether a tensor is only a source of `extraTensors`. `name` is the result of `rename`. */
  readonly omits?: (name: string, config: ConfigObject) => boolean;
  /** `name` is the result of `rename`. Also applied to the matrices of adapters. */
  readonly change?: (tensor: SourceTensor, name: string, checkpoint: Pick<Checkpoint, 'parameters'>) => TensorPiece;
  /** For tensors that become several; undefined for others. */
  readonly split?: (tensor: SourceTensor, name: string, checkpoint: Checkpoint) => readonly NamedPiece[] | undefined;
  /** Experts of one layer become one tensor. */
  readonly experts?: ExpertNames;
  /** Tensors that are not those of the weights, such as those computed from config.json. They come first. */
  readonly extraTensors?: (checkpoint: Checkpoint) => OutputTensor[] | Promise<OutputTensor[]>;
  /** Writes the hyperparameters. The keys of `metadata` start with the architecture. */
  readonly describe: (checkpoint: Checkpoint, metadata: Metadata) => void;
  readonly writeTokenizer: (checkpoint: Checkpoint, metadata: Metadata) => Promise<void>;
}

export interface ExpertNames {
  /** In a layer: the number of the expert and the name of its matrix. */
  readonly pattern: RegExp;
  /** The matrices in the order of the result. */
  readonly matrices: Readonly<Record<string, string>>;
}
