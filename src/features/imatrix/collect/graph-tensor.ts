// Reads the struct of a tensor in llama.cpp's memory. `checkLayout` compares the layout with what ggml's functions say.

import koffi from 'koffi';
import { HearthError } from '../../../base/errors.ts';
import type { LlamaApi } from '../../../inference/runner/llama/bindings/llama-api.ts';
import type { Address, TensorPointer } from '../../../inference/runner/llama/bindings/pointers.ts';

const offsets = { type: 0, shape: 16, strides: 48, operation: 80, sources: 152, name: 256 } as const;
const structBytes = 336;
const nameBytes = 64;
const dimensions = 4;
const wordBytes = 8;
const f32Type = 0;

export interface GraphTensor {
  readonly pointer: TensorPointer;
  readonly type: number;
  readonly operation: number;
  /** The number of values in each dimension. */
  readonly shape: readonly number[];
  /** Bytes from one value to the next in each dimension. */
  readonly strides: readonly number[];
  /** What the operation is applied to. */
  readonly sources: readonly TensorPointer[];
}

export function isF32({ type }: GraphTensor): boolean {
  return type === f32Type;
}

export function readTensor(pointer: TensorPointer): GraphTensor {
  const view = viewOf(pointer);
  const words = (offset: number): number[] =>
    Array.from({ length: dimensions }, (_, index) => Number(view.getBigInt64(offset + wordBytes * index, true)));
  const source = (index: number): TensorPointer =>
    view.getBigUint64(offsets.sources + wordBytes * index, true) as TensorPointer;
  return {
    pointer,
    type: view.getInt32(offsets.type, true),
    operation: view.getInt32(offsets.operation, true),
    shape: words(offsets.shape),
    strides: words(offsets.strides),
    sources: [source(0), source(1), source(2)],
  };
}

/** Only this number is needed for most tensors of a graph. */
export function operationOf(pointer: TensorPointer): number {
  return viewOf(pointer).getInt32(offsets.operation, true);
}

export function tensorNameOf(pointer: TensorPointer): string {
  const bytes = Buffer.from(viewOf(pointer).buffer, offsets.name, nameBytes);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? nameBytes : end);
}

export function checkLayout(api: Pick<LlamaApi, 'tensorName' | 'tensorBytes'>, tensor: GraphTensor): void {
  const { pointer, shape, strides } = tensor;
  const bytes = shape.reduce((sum, size, index) => sum + (size - 1) * (strides[index] as number), strides[0] as number);
  if (tensorNameOf(pointer) !== api.tensorName(pointer) || bytes !== Number(api.tensorBytes(pointer)))
    throw new HearthError('load_failed', 'this build of llama.cpp has tensors with another layout');
}

function viewOf(pointer: TensorPointer): DataView {
  return new DataView(koffi.view(pointer as bigint as Address, structBytes));
}
