// The tensors of the result, and where their data comes from.

import { type TensorType, tensorTypes } from '../../gguf/tensor-types.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { FloatType, ValueChange } from './number-formats.ts';
import type { SourceTensor } from './source-tensors.ts';
import type { UnitOrder } from './unit-order.ts';

/** Data of a source tensor, with a change that is made on the way. */
export interface TensorPiece {
  readonly source: SourceTensor;
  /** The shape of the result, if it differs from that of the source. */
  readonly shape?: readonly number[];
  readonly values?: ValueChange;
  readonly order?: UnitOrder;
  /** Swaps the last two dimensions. */
  readonly transposed?: Transposition;
}

export interface Transposition {
  /** The columns of the source that become rows, in their order; undefined for all. */
  readonly columns?: readonly number[];
  /** The first rows of each matrix of the source; undefined for all. */
  readonly rows?: number;
}

/** Data that is packed already: 4-bit numbers with a scale for each 32 of them. */
export interface PackedPiece {
  /** Four dimensions: matrices, rows, blocks, bytes. */
  readonly blocks: SourceTensor;
  readonly scales: SourceTensor;
  /** Rows of each matrix. */
  readonly rows: readonly number[];
}

export interface OutputTensor {
  readonly name: string;
  /** The last dimension is contiguous. */
  readonly shape: readonly number[];
  readonly type: FloatType | 'MXFP4';
  /** One after the other. */
  readonly data: readonly TensorPiece[] | PackedPiece | Float32Array;
}

const typeNumbers = { F32: 0, F16: 1, BF16: 30, MXFP4: 39 } as const;
const maxNameLength = 63;

/** As the header of a GGUF file describes it: the first dimension is contiguous. */
export function toGgufTensor({ name, shape, type }: OutputTensor) {
  const ggufType = tensorTypes.get(typeNumbers[type]) as TensorType;
  if (name.length > maxNameLength) throw unusable(`the name of the tensor ${name} is too long`);
  if (shape.length > 4) throw unusable(`the tensor ${name} has ${shape.length} dimensions`);
  const bytes = (valuesOf({ shape }) / ggufType.blockLength) * ggufType.blockBytes;
  return { name, shape: shape.toReversed(), type: ggufType, bytes };
}

export function valuesOf({ shape }: Pick<OutputTensor, 'shape'>): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Small tensors, and those that llama.cpp computes with in F32 only. */
export function chooseType(name: string, shape: readonly number[], type: FloatType): FloatType {
  const isWeight = /\.(?:weight|lora_a|lora_b)$/.test(name);
  return shape.length <= 1 || !isWeight || fullPrecision.test(name) ? 'F32' : type;
}

const fullPrecision =
  /_norm\.weight$|^(?:position_embd|token_types)\.weight$|\.(?:ffn_gate_inp(?:_shexp)?|ssm_conv1d|shortconv\.conv)\.weight$/;

export interface NamedPiece {
  /** In the form of `names`. */
  readonly name: string;
  readonly piece: TensorPiece;
}
