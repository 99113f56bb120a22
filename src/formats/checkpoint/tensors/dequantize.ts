// FP8 weights: 8-bit floats with a scale for all values, for each row, or for each block of rows and columns. They are
// computed while they are read, so that families see tensors in F32.

import { asObject } from '../../../base/json-values.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { asString, type ConfigObject, isUint32 } from '../files/json-object.ts';
import { byteFloatValues, isByteFloat } from './byte-floats.ts';
import { convertFloats, toSourceType } from './number-formats.ts';
import type { SourceTensor } from './source-tensors.ts';

export interface ScaledFormat {
  /** The ending of the name of a scale, after the name of its weights. */
  readonly suffix: string;
  /** Rows and columns that share a scale. */
  readonly block: readonly number[] | undefined;
}

/** Scales of inputs and caches, which are not quantized here. */
const otherScales = /[._](?:activation|input)_scale$|\.[kv]_scale$/;
const valueBytes = 4;

/** Undefined if the format is not one of FP8. */
export function findQuantization(config: ConfigObject): ScaledFormat | undefined {
  const method = config['quant_method'];
  if (method === 'fp8') return { suffix: '_scale_inv', block: blockOf(config['weight_block_size']) };
  if (method === 'modelopt' && config['quant_algo'] === 'FP8') return { suffix: '_scale', block: undefined };
  if (method !== 'compressed-tensors') return undefined;
  const format = asString(config['format']) ?? '';
  const [group, ...others] = Object.values(asObject(config['config_groups']));
  const weights = asObject(asObject(group)['weights']);
  const isFloat = weights['type'] === 'float' && weights['num_bits'] === 8;
  if (!['float-quantized', 'naive-quantized'].includes(format) || !isFloat || others.length > 0) return undefined;
  return { suffix: '_scale', block: blockOf(weights['block_structure']) };
}

function blockOf(value: unknown): readonly number[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length !== 2 || !value.every((size) => isUint32(size) && size > 0))
    throw unusable('the size of its blocks in config.json is not a pair of numbers');
  return value;
}

/** Weights with a scale become tensors in F32. */
export function dequantize(tensors: readonly SourceTensor[], { suffix, block }: ScaledFormat): SourceTensor[] {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const isScale = ({ name }: SourceTensor): boolean =>
    otherScales.test(name) || (name.endsWith(suffix) && byName.has(name.slice(0, -suffix.length)));
  const readScales = createScaleReader();
  return tensors.flatMap((tensor) => {
    if (isScale(tensor)) return [];
    const scale = byName.get(`${tensor.name}${suffix}`);
    if (!isByteFloat(tensor.type)) return [tensor];
    if (scale === undefined) throw unusable(`the tensor ${tensor.name} has no scale`);
    return [scaledTensor(tensor, { scale, steps: stepsOf(tensor, scale, block), readScales })];
  });
}

/** How many values of each dimension of a tensor share a scale. */
function stepsOf(tensor: SourceTensor, scale: SourceTensor, block: readonly number[] = []): number[] {
  const isOne = scale.shape.every((size) => size === 1);
  const missing = tensor.shape.length - scale.shape.length;
  // A scale for each row may have one dimension less.
  const own = isOne ? tensor.shape.map(() => 1) : [...scale.shape, ...new Array<number>(Math.max(0, missing)).fill(1)];
  const first = tensor.shape.length - block.length;
  const steps = tensor.shape.map((size, index) => {
    const shared = index >= first ? (block[index - first] as number) : 1;
    if (Math.ceil(size / shared) === own[index]) return shared;
    return own[index] === 1 ? Math.max(1, size) : 0;
  });
  if (own.length !== tensor.shape.length || steps.includes(0))
    throw unusable(`the tensors ${tensor.name} and ${scale.name} do not match`);
  return steps;
}

type ScaleReader = (scale: SourceTensor) => Promise<Float32Array>;

/** Keeps the scales of one tensor: tensors are read one after the other. */
function createScaleReader(): ScaleReader {
  let last: { readonly scale: SourceTensor; readonly values: Float32Array } | undefined;
  return async (scale) => {
    if (last?.scale === scale) return last.values;
    if (scale.bytes > checkpointLimits.reorderedBytes) throw unusable(`the tensor ${scale.name} is too large`);
    const bytes = await scale.file.read(scale.offset, scale.bytes);
    const values = toValues(bytes, scale);
    last = { scale, values };
    return values;
  };
}

function toValues(bytes: Buffer, { type, name }: SourceTensor): Float32Array {
  if (isByteFloat(type)) return Float32Array.from(bytes, (byte) => byteFloatValues(type)[byte] as number);
  const floats = convertFloats(bytes, toSourceType(type, name), 'F32');
  return new Float32Array(new Uint8Array(floats).buffer);
}

interface Scaling {
  readonly scale: SourceTensor;
  readonly steps: readonly number[];
  readonly readScales: ScaleReader;
}

function scaledTensor(tensor: SourceTensor, { scale, steps, readScales }: Scaling): SourceTensor {
  const values = tensor.bytes;
  const place = createPlaces(tensor.shape, steps);
  const table = byteFloatValues(tensor.type);
  return {
    ...tensor,
    type: 'F32',
    offset: 0,
    bytes: values * valueBytes,
    file: {
      name: tensor.file.name,
      size: values * valueBytes,
      async read(offset, length) {
        const start = offset / valueBytes;
        const bytes = await tensor.file.read(tensor.offset + start, length / valueBytes);
        const scales = await readScales(scale);
        const result = new Float32Array(bytes.length);
        for (let at = 0; at < bytes.length; ) {
          const { index, length: shared } = place(start + at);
          const factor = scales[index] as number;
          const end = Math.min(bytes.length, at + shared);
          for (; at < end; at++) result[at] = (table[bytes[at] as number] as number) * factor;
        }
        return Buffer.from(result.buffer);
      },
    },
  };
}

/** The scale of a value, and how many values from it on have the same scale. */
function createPlaces(shape: readonly number[], steps: readonly number[]) {
  const counts = shape.map((size, index) => Math.ceil(size / (steps[index] as number)));
  const width = shape.at(-1) ?? 1;
  const step = steps.at(-1) ?? 1;
  return (value: number): { readonly index: number; readonly length: number } => {
    let rest = value;
    let index = 0;
    let stride = 1;
    for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
      const size = shape[dimension] as number;
      index += Math.floor((rest % size) / (steps[dimension] as number)) * stride;
      stride *= counts[dimension] as number;
      rest = Math.floor(rest / size);
    }
    const column = value % width;
    return { index, length: Math.min(step - (column % step), width - column) };
  };
}
