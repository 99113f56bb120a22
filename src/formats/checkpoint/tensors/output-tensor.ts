// The tensors of the result, and where their data comes from.

import { type TensorType, tensorTypes } from '../../gguf/tensor-types.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { FloatType } from './number-formats.ts';
import type { SourceTensor } from './source-tensors.ts';

/** Data of a source tensor, with a change that is made on the way. */
export interface TensorPiece {
  readonly source: SourceTensor;
  /** Adds 1 to each value. */
  readonly addOne?: boolean;
  /** Reorders the rows of each attention head; `heads` divides the rows. */
  readonly heads?: number;
  /** Swaps the two dimensions. */
  readonly transposed?: boolean;
}

export interface OutputTensor {
  readonly name: string;
  /** The last dimension is contiguous. */
  readonly shape: readonly number[];
  readonly type: FloatType;
  /** One after the other. */
  readonly data: readonly TensorPiece[] | Float32Array;
}

const typeNumbers = { F32: 0, F16: 1, BF16: 30 } as const;
const maxNameLength = 63;

/** As the header of a GGUF file describes it: the first dimension is contiguous. */
export function toGgufTensor({ name, shape, type }: OutputTensor) {
  const ggufType = tensorTypes.get(typeNumbers[type]) as TensorType;
  if (name.length > maxNameLength) throw unusable(`the name of the tensor ${name} is too long`);
  if (shape.length > 4) throw unusable(`the tensor ${name} has ${shape.length} dimensions`);
  return { name, shape: shape.toReversed(), type: ggufType, bytes: valuesOf({ shape }) * ggufType.blockBytes };
}

export function valuesOf({ shape }: Pick<OutputTensor, 'shape'>): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Small tensors, and those that llama.cpp computes with in F32 only. */
export function chooseType(name: string, shape: readonly number[], type: FloatType): FloatType {
  const isWeight = /\.(?:weight|lora_a|lora_b)$/.test(name);
  return shape.length <= 1 || !isWeight || fullPrecision.test(name) ? 'F32' : type;
}

const fullPrecision = /_norm\.weight$|^(?:position_embd|token_types)\.weight$|\.ffn_gate_inp(?:_shexp)?\.weight$/;
